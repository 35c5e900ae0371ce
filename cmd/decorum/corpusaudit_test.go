package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aead.dev/minisign"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/text"
	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/internal/doctable"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// keys writes a pair of keys without a password and returns their files.
func keys(t *testing.T) (secret, public string) {
	t.Helper()
	folder := t.TempDir()
	public, secret = filepath.Join(folder, "key.pub"), filepath.Join(folder, "key")
	pub, key, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, marshal := range map[string]func() ([]byte, error){public: pub.MarshalText, secret: key.MarshalText} {
		data, err := marshal()
		if err == nil {
			err = os.WriteFile(name, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return secret, public
}

// forge edits the document of /page/3 everywhere at once, as someone would who knows
// how a corpus is made: in the journal and the shard, with new fingerprints, and in
// the manifest.
func forge(t *testing.T, folder string, edit func(*corpus.Document)) {
	t.Helper()
	for _, name := range []string{corpus.JournalName, "documents/train=in_favor/part-00000.jsonl"} {
		root := openTestRoot(t, folder)
		var lines []byte
		for d, err := range jsonl.Rows[corpus.Document](root, name) {
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(d.URL, "/page/3") {
				edit(&d)
				sha256, simhash := text.Fingerprints(d.Text)
				d.TextSHA256, d.Simhash = sha256, corpus.FormatSimhash(simhash)
			}
			lines = append(lines, jsonl.Line(d)...)
		}
		if err := root.WriteFile(name, lines, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rewriteManifest(t, folder)
}

// rewriteManifest makes a manifest say of its files what is true of them now.
func rewriteManifest(t *testing.T, folder string) {
	t.Helper()
	m := manifestOf(t, folder)
	for _, list := range [][]corpus.Output{m.Outputs, m.Journals} {
		for i := range list {
			data, err := os.ReadFile(filepath.Join(folder, list[i].Name))
			if err != nil {
				t.Fatal(err)
			}
			list[i].Bytes, list[i].SHA256 = int64(len(data)), content.SHA256(data)
		}
	}
	data, err := json.Marshal(m)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, corpus.ManifestName), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAuditFindsForgeries changes a corpus with an archive, or a signed one, in ways
// that agree with themselves. docs/corpus-audit.md has the same table.
func TestAuditFindsForgeries(t *testing.T) {
	secret, public := keys(t)
	otherSecret, otherPublic := keys(t)
	archived, signed := []string{"--store", "warc"}, []string{"--sign", secret}
	word := func(d *corpus.Document) { d.Text = strings.Replace(d.Text, "number 3", "number 8", 1) }
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, folder string) {
			t.Helper()
			if err := os.Remove(filepath.Join(folder, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	forged := func(edit func(*corpus.Document)) func(*testing.T, string) {
		return func(t *testing.T, folder string) { t.Helper(); forge(t, folder, edit) }
	}
	tests := map[string]struct {
		build, verify []string
		change        func(t *testing.T, folder string)
		want          string
	}{
		"a text, everywhere, with an archive":  {archived, nil, forged(word), "/page/3: the text is not what the page in the archive yields"},
		"a title, everywhere, with an archive": {archived, nil, forged(func(d *corpus.Document) { d.Title = "x" }), "/page/3: the title is not what the page in the archive yields"},
		"an author, everywhere, with an archive": {
			archived, nil, forged(func(d *corpus.Document) { d.Metadata.Author = "x" }),
			"/page/3: the author is not what the page in the archive yields",
		},
		"the archive, with an archive": {archived, nil, func(t *testing.T, folder string) {
			t.Helper()
			names, err := filepath.Glob(folder + "/warc/*.warc.gz")
			if err != nil || len(names) != 1 {
				t.Fatalf("got %v, %v", names, err)
			}
			remove("warc/"+filepath.Base(names[0]))(t, folder)
		}, "warc/00000.warc.gz is missing"},
		"a text, everywhere, with a key":     {signed, []string{"--key", public}, forged(word), "manifest.json was changed since it was signed"},
		"no signature, with a key":           {signed, []string{"--key", public}, remove(corpus.SignatureName), "manifest.json.minisig is missing"},
		"a signature by someone else":        {[]string{"--sign", otherSecret}, []string{"--key", public}, func(*testing.T, string) {}, "manifest.json.minisig is by the key"},
		"a signature of an earlier manifest": {signed, []string{"--key", public}, again, "manifest.json was changed since it was signed"},
		"a file that is no signature": {signed, []string{"--key", public}, func(t *testing.T, folder string) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(folder, corpus.SignatureName), []byte("trusted"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "manifest.json.minisig is not a signature"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, folder := buildFarm(t, append([]string{"--format", "jsonl"}, test.build...)...)
			key := test.verify
			if slices.Contains(test.build, otherSecret) {
				key = []string{"--key", otherPublic}
			}
			if code, out, errs := invoke(append([]string{"corpus", "verify", folder}, key...)...); code != exitOK {
				t.Fatalf("before: got %d, %q, %q", code, out, errs)
			}
			test.change(t, folder)
			if code, out, _ := invoke(append([]string{"corpus", "verify", folder}, test.verify...)...); code != exitFindings || !strings.Contains(out, test.want) {
				t.Errorf("got %d, %q, want %q", code, out, test.want)
			}
		})
	}
	doctable.Check(t, "../../docs/corpus-audit.md", "With an archive or a key", tests)
}

// again publishes a signed corpus without the key and puts the old signature back.
func again(t *testing.T, folder string) {
	t.Helper()
	root := openTestRoot(t, folder)
	old, err := root.ReadFile(corpus.SignatureName)
	if err != nil {
		t.Fatal(err)
	}
	if code, out, errs := invoke("corpus", "decide", folder, "--policy", "token"); code != exitOK {
		t.Fatalf("got %d, %q, %q", code, out, errs)
	}
	if _, err := root.Stat(corpus.SignatureName); err == nil {
		t.Error("the signature of the old manifest is still there")
	}
	if err := root.WriteFile(corpus.SignatureName, old, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSignature signs by each command that writes a manifest, and holds against
// Debian's minisign.
func TestSignature(t *testing.T) {
	secret, public := keys(t)
	_, site, folder := buildFarm(t, "--sign", secret, "--max-pages", "5")
	verified := func(after string) {
		t.Helper()
		code, out, errs := invoke("corpus", "verify", folder, "--key", public)
		if code != exitOK || !strings.Contains(out, "ok: signed by RW") || !strings.Contains(out, "decorum crawl "+manifestOf(t, folder).CrawlID) {
			t.Errorf("after %s: got %d, %q, %q", after, code, out, errs)
		}
	}
	verified("build")
	if code, _, errs := invoke("resume", folder, "--delay", "0", "--progress", "none", "--max-pages", "0", "--sign", secret); code != exitOK {
		t.Errorf("got %d, %q", code, errs)
	}
	verified("resume")
	if code, _, errs := invoke("corpus", "decide", folder, "--policy", "token", "--sign", secret); code != exitOK {
		t.Errorf("got %d, %q", code, errs)
	}
	verified("decide")
	site.Robots("User-agent: __usage_ai-training\nDisallow: /page/3\nAllow: /\n")
	if code, out, errs := invoke("corpus", "recheck", folder, "--delay", "0"); code != exitFindings {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	if code, _, errs := invoke("corpus", "purge", folder, "--sign", secret); code != exitOK {
		t.Errorf("got %d, %q", code, errs)
	}
	verified("purge")
	if code, _, errs := invoke("corpus", "verify", folder); code != exitOK || !strings.Contains(errs, "the signature of the manifest was not checked") {
		t.Errorf("got %d, %q", code, errs)
	}

	program, err := exec.LookPath("minisign")
	need(t, err, "minisign")
	if out, err := exec.CommandContext(t.Context(), program, "-V", "-p", public, "-m", filepath.Join(folder, corpus.ManifestName)).CombinedOutput(); err != nil {
		t.Errorf("minisign: %v\n%s", err, out)
	}
}

// TestKeysOfMinisign uses keys that Debian's minisign made, with a password and
// without.
func TestKeysOfMinisign(t *testing.T) {
	program, err := exec.LookPath("minisign")
	need(t, err, "minisign")
	_, _, folder := buildFarm(t)
	for _, password := range []string{"", "correct horse"} {
		place := t.TempDir()
		secret, public := filepath.Join(place, "key"), filepath.Join(place, "key.pub")
		args := []string{"-G", "-s", secret, "-p", public}
		if password == "" {
			args = append(args, "-W")
		}
		generate := exec.CommandContext(t.Context(), program, args...)
		generate.Stdin = strings.NewReader(password + "\n" + password + "\n")
		if out, err := generate.CombinedOutput(); err != nil {
			t.Fatalf("minisign: %v\n%s", err, out)
		}
		decide := []string{"corpus", "decide", folder, "--policy", "declared", "--sign", secret}
		if code, _, errs := invokeWith(map[string]string{signPassword: password}, decide...); code != exitOK {
			t.Errorf("password %q: got %d, %q", password, code, errs)
		}
		if code, out, _ := invoke("corpus", "verify", folder, "--key", public); code != exitOK {
			t.Errorf("password %q: got %d, %q", password, code, out)
		}
		if password == "" {
			continue
		}
		for _, wrong := range []string{"", "wrong"} {
			if code, _, errs := invokeWith(map[string]string{signPassword: wrong}, decide...); code != exitUsage || strings.Contains(errs, "wrong") {
				t.Errorf("password %q: got %d, %q", wrong, code, errs)
			}
		}
	}
}

// TestSignErrors names what is no key.
func TestSignErrors(t *testing.T) {
	secret, public := keys(t)
	_, site, folder := buildFarm(t)
	plain := filepath.Join(t.TempDir(), "plain")
	if code, _, errs := invoke("crawl", "-o", plain, "--delay", "0", "--progress", "none", site.URL()+"/"); code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	for name, test := range map[string]struct {
		args []string
		code int
	}{
		"no such file":          {[]string{"corpus", "decide", folder, "--policy", "token", "--sign", "nowhere"}, exitIO},
		"a public key to sign":  {[]string{"corpus", "decide", folder, "--policy", "token", "--sign", public}, exitUsage},
		"a secret key to check": {[]string{"corpus", "verify", folder, "--key", secret}, exitUsage},
		"a crawl to sign":       {[]string{"resume", plain, "--sign", secret}, exitUsage},
	} {
		t.Run(name, func(t *testing.T) {
			if code, _, errs := invoke(test.args...); code != test.code {
				t.Errorf("got %d, %q, want %d", code, errs, test.code)
			}
		})
	}
}

// TestAuditSaysWhatItDidNotCompare has no archive, is told not to use it, or finds
// those gone that a corpus was made from.
func TestAuditSaysWhatItDidNotCompare(t *testing.T) {
	_, _, folder := buildFarm(t)
	if code, out, errs := invoke("corpus", "verify", folder); code != exitOK || !strings.Contains(errs, "the corpus keeps no archive") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	_, _, archived := buildFarm(t, "--store", "warc")
	if code, out, errs := invoke("corpus", "verify", archived); code != exitOK || errs != "" || !strings.Contains(out, "ok: 10 texts extracted again from the archive") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	if code, out, errs := invoke("corpus", "verify", "--no-extraction", archived); code != exitOK || !strings.Contains(errs, "--no-extraction") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	files, err := filepath.Glob(archived + "/warc/*.warc.gz")
	if err != nil || len(files) != 1 {
		t.Fatalf("got %v, %v", files, err)
	}
	copied := filepath.Join(t.TempDir(), "copy.warc.gz")
	data, err := os.ReadFile(files[0])
	if err == nil {
		err = os.WriteFile(copied, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(t.TempDir(), "made")
	if code, out, errs := invoke("corpus", "build", "-o", made, "--progress", "none", "--from-warc", copied); code != exitOK {
		t.Fatalf("got %d, %q, %q", code, out, errs)
	}
	if code, out, errs := invoke("corpus", "verify", made); code != exitOK || !strings.Contains(out, "10 texts extracted again") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	if err := os.WriteFile(copied, bytes.Repeat([]byte{0}, 9), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := invoke("corpus", "verify", made); code != exitOK || !strings.Contains(errs, "are not there, or have changed") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
}
