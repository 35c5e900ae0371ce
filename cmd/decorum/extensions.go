package main

import "github.com/decorum-crawler/decorum/sitemap"

// imageLine, videoLine and newsLine are the extensions of a decorum.entry/1 object.
// What an entry does not have is left out.
type imageLine struct {
	Loc     string `json:"loc"`
	Title   string `json:"title,omitempty"`
	Caption string `json:"caption,omitempty"`
	License string `json:"license,omitempty"`
}

type videoLine struct {
	Thumbnail   string `json:"thumbnail_loc,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Content     string `json:"content_loc,omitempty"`
	Player      string `json:"player_loc,omitempty"`
	DurationMS  int64  `json:"duration_ms,omitempty"`
	Published   string `json:"publication_date,omitempty"`
	Expires     string `json:"expiration_date,omitempty"`
	Line        int    `json:"line"`
}

type newsLine struct {
	Publication string `json:"publication,omitempty"`
	Language    string `json:"language,omitempty"`
	Published   string `json:"publication_date,omitempty"`
	Title       string `json:"title,omitempty"`
	Line        int    `json:"line"`
}

// extend adds the images, videos and news of an entry.
func (l *entryLine) extend(entry sitemap.Entry) {
	detailed := false
	for _, image := range entry.Images {
		l.Images = append(l.Images, image.Loc)
		detailed = detailed || image.Title+image.Caption+image.License != ""
	}
	if detailed {
		for _, image := range entry.Images {
			l.ImageDetails = append(l.ImageDetails, imageLine(image))
		}
	}
	for _, v := range entry.Videos {
		l.Videos = append(l.Videos, videoLine{
			Thumbnail: v.Thumbnail, Title: v.Title, Description: v.Description, Content: v.Content, Player: v.Player,
			DurationMS: v.Duration.Milliseconds(), Published: timestamp(v.Published), Expires: timestamp(v.Expires), Line: v.Line,
		})
	}
	if n := entry.News; n != nil {
		l.News = &newsLine{Publication: n.Publication, Language: n.Language, Published: timestamp(n.Published), Title: n.Title, Line: n.Line}
	}
}
