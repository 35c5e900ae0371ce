package sitemap

import (
	"strconv"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/sitemap/internal/date"
	"github.com/decorum-crawler/decorum/sitemap/internal/markup"
)

// An Image is a picture on the page of an entry, by Google's extension. Its texts
// are empty if they are missing.
type Image struct {
	Loc     string // as written, with its entities decoded
	Title   string
	Caption string
	License string // URL
}

// A Video is a video on the page of an entry, by Google's extension. What is
// missing is empty or zero. URLs are as written, with their entities decoded.
type Video struct {
	Thumbnail   string // URL of a picture
	Title       string
	Description string
	Content     string        // URL of the video file
	Player      string        // URL of a player
	Duration    time.Duration // whole seconds
	Published   time.Time     // UTC
	Expires     time.Time     // UTC
	Line        int           // of its start, 1-based
}

// News is the article of an entry, by Google's extension. What is missing is empty
// or zero.
type News struct {
	Publication string // name
	Language    string // ISO 639 code, zh-cn or zh-tw
	Published   time.Time
	Title       string
	Line        int // of its start, 1-based
}

// maxExtraBytes bounds the text of all extensions of an entry; further text is
// dropped.
const maxExtraBytes = 1 << 20

// An extra is the element of an extension that is being read.
type extra struct {
	space space // spaceForeign if there is none
	image Image
	video Video
	news  News
	at    markup.Place // of its start
	bytes int          // of all texts of the entry
}

// beginExtra handles an element directly inside an entry that may begin an
// extension.
func (d *document) beginExtra(in space, local string) {
	e := &d.extra
	e.at = d.tagAt
	switch {
	case (in == spaceImage || in == spaceOwn) && local == "image":
		e.space, e.image = spaceImage, Image{}
	case in == spaceVideo && local == "video":
		e.space, e.video = spaceVideo, Video{Line: d.tagAt.Line}
	case in == spaceNews && local == "news":
		e.space, e.news = spaceNews, News{Line: d.tagAt.Line}
	}
}

// endExtra adds what was read of an extension to the entry.
func (d *document) endExtra() {
	e, limit := &d.extra, d.reader.options.MaxExtras
	if d.reader.options.Strict {
		d.judgeExtra()
	}
	switch e.space {
	case spaceImage:
		if e.image.Loc != "" && len(d.entry.Images) < limit {
			d.entry.Images = append(d.entry.Images, e.image)
		}
	case spaceVideo:
		if len(d.entry.Videos) < limit {
			d.entry.Videos = append(d.entry.Videos, e.video)
		}
	case spaceNews:
		if d.entry.News == nil {
			news := e.news
			d.entry.News = &news
		}
	}
	e.space = spaceForeign
}

// maxDuration is the longest video that Google's extension allows.
const maxDuration = 28_800 * time.Second

// judgeExtra reports what an extension must have and what was read of it lacks.
func (d *document) judgeExtra() {
	r, e := d.reader, &d.extra
	r.pin = e.at
	defer func() { r.pin = markup.Place{} }()
	missing := func(code, name string, is bool) {
		if is {
			r.remark(code, strings.TrimPrefix(code, "missing-")+" without "+name)
		}
	}
	switch e.space {
	case spaceImage:
		missing("missing-image-loc", "image:loc", e.image.Loc == "")
	case spaceVideo:
		v := &e.video
		missing("missing-video", "video:thumbnail_loc", v.Thumbnail == "")
		missing("missing-video", "video:title", v.Title == "")
		missing("missing-video", "video:description", v.Description == "")
		missing("missing-video", "video:content_loc or video:player_loc", v.Content == "" && v.Player == "")
	case spaceNews:
		n := &e.news
		missing("missing-news", "news:name", n.Publication == "")
		missing("missing-news", "news:language", n.Language == "")
		missing("missing-news", "news:publication_date", n.Published.IsZero())
		missing("missing-news", "news:title", n.Title == "")
		if n.Language != "" && !isNewsLanguage(n.Language) {
			r.problem("bad-news-language")
		}
	}
}

// extraWanted reports whether the text of an element below that of an extension is
// kept. depth is that below the entry.
func (d *document) extraWanted(in space, local string, depth int) bool {
	switch d.extra.space {
	case spaceImage:
		return depth == 2 && (in == spaceImage || in == spaceOwn) && (local == "loc" || local == "title" || local == "caption" || local == "license")
	case spaceVideo:
		if depth != 2 || in != spaceVideo {
			return false
		}
		switch local {
		case "thumbnail_loc", "title", "description", "content_loc", "player_loc", "duration", "publication_date", "expiration_date":
			return true
		}
	case spaceNews:
		if in != spaceNews {
			return false
		}
		return depth == 2 && (local == "publication_date" || local == "title") || depth == 3 && (local == "name" || local == "language")
	}
	return false
}

// finishExtra handles the text of an element of an extension.
func (d *document) finishExtra(local, text string) {
	e := &d.extra
	if e.bytes += len(text); text == "" || d.tooLong || e.bytes > maxExtraBytes {
		return
	}
	switch e.space {
	case spaceImage:
		d.finishImage(local, text)
	case spaceVideo:
		d.finishVideo(local, text)
	case spaceNews:
		switch local {
		case "name":
			e.news.Publication = text
		case "language":
			e.news.Language = text
		case "title":
			e.news.Title = text
		case "publication_date":
			e.news.Published = d.date(text, date.W3C)
		}
	}
}

func (d *document) finishImage(local, text string) {
	image := &d.extra.image
	switch local {
	case "loc":
		if image.Loc != "" { // one element for several images
			d.endExtra()
			d.extra.space, *image = spaceImage, Image{}
		}
		image.Loc = text
	case "title":
		image.Title = text
	case "caption":
		image.Caption = text
	case "license":
		image.License = text
	}
}

func (d *document) finishVideo(local, text string) {
	video := &d.extra.video
	switch local {
	case "thumbnail_loc":
		video.Thumbnail = text
	case "title":
		video.Title = text
	case "description":
		video.Description = text
	case "content_loc":
		video.Content = text
	case "player_loc":
		video.Player = text
	case "duration":
		seconds, err := strconv.ParseUint(text, 10, 24)
		video.Duration = time.Duration(seconds) * time.Second
		if err != nil || video.Duration == 0 || video.Duration > maxDuration {
			d.reader.problem("bad-duration")
		}
		if err != nil {
			video.Duration = 0
		}
	case "publication_date":
		video.Published = d.date(text, date.W3C)
	case "expiration_date":
		video.Expires = d.date(text, date.W3C)
	}
}

// date parses a date, reports what is wrong with it, and returns zero if it
// cannot be read.
func (d *document) date(text string, expected date.Form) time.Time {
	t, quality := date.Parse(text, expected)
	switch quality {
	case date.Bad:
		d.reader.problem("bad-date")
	case date.Odd:
		d.reader.problem("date-form")
	case date.UnknownZone:
		d.reader.problem("date-zone")
	case date.Exact:
	}
	return t
}
