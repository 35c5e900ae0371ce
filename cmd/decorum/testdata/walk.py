"""Prints the paths that a walk over the links of a folder of HTML files
reaches from /index.html, as an independent answer to what a crawl must fetch."""
import html.parser
import os
import sys
import urllib.parse

root, forbidden = sys.argv[1], tuple(sys.argv[2:])
PAGES = {".html": True, ".txt": True}


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.base = [], None

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        relation = (given.get("rel") or "").lower().split()
        if tag == "base" and self.base is None:
            self.base = given.get("href")
        if tag in ("a", "area") and "nofollow" not in relation:
            self.found.append(given.get("href"))
        if tag == "link" and {"next", "alternate", "canonical"} & set(relation):
            self.found.append(given.get("href"))
        if tag == "iframe":
            self.found.append(given.get("src"))


seen, queue = set(), ["/index.html"]
while queue:
    path = queue.pop()
    if path in seen or path.startswith(forbidden):
        continue
    seen.add(path)
    name = os.path.join(root, urllib.parse.unquote(path.split("?")[0]).lstrip("/"))
    if not name.endswith(".html") or not os.path.isfile(name):
        continue
    with open(name, encoding="utf-8", errors="replace") as file:
        links = Links()
        links.feed(file.read())
    base = urllib.parse.urljoin("http://site" + path, links.base or "")
    for href in links.found:
        if href is None or not href.strip():
            continue
        target = urllib.parse.urlsplit(urllib.parse.urljoin(base, href.strip()))
        if target.scheme == "http" and target.netloc == "site":
            queue.append((target.path or "/") + ("?" + target.query if target.query else ""))

for path in sorted(seen):
    name = os.path.join(root, urllib.parse.unquote(path.split("?")[0]).lstrip("/"))
    if os.path.isfile(name) and PAGES.get(os.path.splitext(name)[1]):
        print(path)
