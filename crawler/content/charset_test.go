package content_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/decorum-crawler/decorum/crawler/content"
)

func TestDecode(t *testing.T) {
	const russian = "\xe4\xee\xec" // in windows-1251
	head := func(s string) string { return "<!doctype html><html><head>" + s }
	pad := strings.Repeat("/* pad */", 150)
	tests := []struct{ name, body, contentType, want, charset, source string }{
		{"plain", "caf\xc3\xa9", "text/html", "café", "utf-8", "valid"},
		{"header", "caf\xe9", "text/html; charset=ISO-8859-1", "café", "windows-1252", "header"},
		{"meta", "<meta charset=windows-1251>" + russian, "text/html", "<meta charset=windows-1251>дом", "windows-1251", "meta"},
		{"http-equiv", `<meta http-equiv=content-type content="text/html; charset=koi8-r">` + "\xc4", "text/html", `<meta http-equiv=content-type content="text/html; charset=koi8-r">д`, "koi8-r", "meta"},
		{"meta that cannot be", "<meta charset=utf-16>caf\xc3\xa9", "text/html", "<meta charset=utf-16>café", "utf-8", "meta"},
		{"mark before header", "\xef\xbb\xbfcaf\xc3\xa9", "text/html; charset=latin1", "café", "utf-8", "bom"},
		{"UTF-16", "\xff\xfec\x00\xe9\x00", "text/html", "cé", "utf-16le", "bom"},
		{"guess", "caf\xe9", "", "café", "windows-1252", "default"},
		{"unknown label", "caf\xc3\xa9", "text/html; charset=klingon", "café", "utf-8", "valid"},

		{"header with an open quote", russian, `text/html;charset="windows-1251`, "дом", "windows-1251", "header"},
		{"header with an empty parameter", russian, "text/html;;charset=windows-1251", "дом", "windows-1251", "header"},
		{"header with two charsets", russian, "text/html; charset=windows-1251; charset=utf-8", "дом", "windows-1251", "header"},
		{"two headers, the first with it", russian, "text/html; charset=windows-1251, text/html", "дом", "windows-1251", "header"},
		{"two headers, both with it", russian, "text/html; charset=utf-8, text/html; charset=windows-1251", "дом", "windows-1251", "header"},
		{"header in single quotes", russian, "text/html; charset='Windows-1251'", "дом", "windows-1251", "header"},
		{"header without a semicolon", russian, "text/html charset=windows-1251", "дом", "windows-1251", "header"},

		{"meta after the first 1,024 bytes", head("<script>" + pad + "</script><meta charset=windows-1251>" + russian), "text/html", head("<script>" + pad + "</script><meta charset=windows-1251>дом"), "windows-1251", "meta"},
		{"late meta in a script", head("<script>" + pad + "</script><script>'<meta charset=koi8-r>'</script>caf\xc3\xa9"), "text/html", head("<script>" + pad + "</script><script>'<meta charset=koi8-r>'</script>café"), "utf-8", "valid"},
		{"meta in a comment", head("<!-- <meta charset=koi8-r> --><meta charset=windows-1251>" + russian), "text/html", head("<!-- <meta charset=koi8-r> --><meta charset=windows-1251>дом"), "windows-1251", "meta"},
		{"comment that is never closed", head("<!-- <meta charset=koi8-r>caf\xc3\xa9"), "text/html", head("<!-- <meta charset=koi8-r>café"), "utf-8", "valid"},
		{"shortest comment", "<!--><meta charset=windows-1251>" + russian, "text/html", "<!--><meta charset=windows-1251>дом", "windows-1251", "meta"},
		{"charset in a description", head(`<meta name=description content="how charset=koi8-r works"><meta charset=windows-1251>` + russian), "text/html", head(`<meta name=description content="how charset=koi8-r works"><meta charset=windows-1251>дом`), "windows-1251", "meta"},
		{"charset in an attribute of another name", head(`<meta data-charset=koi8-r><meta charset=windows-1251>` + russian), "text/html", head(`<meta data-charset=koi8-r><meta charset=windows-1251>дом`), "windows-1251", "meta"},
		{"charset in the value of another element", `<p title="<meta charset=koi8-r>">caf` + "\xc3\xa9", "text/html", `<p title="<meta charset=koi8-r>">café`, "utf-8", "valid"},
		{"unknown label, then a known one", `<meta charset=klingon><meta charset=windows-1251>` + russian, "text/html", `<meta charset=klingon><meta charset=windows-1251>дом`, "windows-1251", "meta"},
		{"capitals and blanks", "<META\nCHARSET = 'Windows-1251' />" + russian, "text/html", "<META\nCHARSET = 'Windows-1251' />дом", "windows-1251", "meta"},
		{"first of two equal attributes", "<meta charset=windows-1251 charset=koi8-r>" + russian, "text/html", "<meta charset=windows-1251 charset=koi8-r>дом", "windows-1251", "meta"},
		{"XML declaration", `<?xml version="1.0" encoding="windows-1251"?><p>` + russian, "application/xhtml+xml", `<?xml version="1.0" encoding="windows-1251"?><p>дом`, "windows-1251", "xml"},
		{"XML declaration in UTF-16", "<\x00?\x00x\x00m\x00l\x00 \x00?\x00>\x00\xe9\x00", "application/xhtml+xml", "<?xml ?>é", "utf-16le", "xml"},
		{"XML declaration before a meta, of XHTML", `<?xml version="1.0" encoding="windows-1251"?><meta charset="utf-8"/>` + russian, "application/xhtml+xml", `<?xml version="1.0" encoding="windows-1251"?><meta charset="utf-8"/>дом`, "windows-1251", "xml"},
		{"meta in plain text", "<meta charset=windows-1251>caf\xc3\xa9", "text/plain", "<meta charset=windows-1251>café", "utf-8", "valid"},
		{"meta before an XML declaration", `<?xml version="1.0" encoding="koi8-r"?><meta charset=windows-1251>` + russian, "text/html", `<?xml version="1.0" encoding="koi8-r"?><meta charset=windows-1251>дом`, "windows-1251", "meta"},

		{"one bad byte in UTF-8", strings.Repeat("é", 40) + "\xe9", "text/html", strings.Repeat("é", 40) + "\xe9", "utf-8", "valid"},
		{"one bad byte in GBK", "\xff" + encoded(t, "gbk", "天气很好"), "text/html; charset=gbk", "\ufffd天气很好", "gbk", "header"},
		{"encoding that browsers refuse", "<a href=x>", "text/html; charset=iso-2022-kr", "<a href=x>", "replacement", "header"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, charset := content.Decode([]byte(test.body), test.contentType)
			if want := (content.Charset{Name: test.charset, Source: test.source}); string(text) != test.want || charset != want {
				t.Errorf("got %q, %v, want %q, %v", text, charset, test.want, want)
			}
		})
	}
}

// encoded returns text in the encoding with that label.
func encoded(tb testing.TB, label, text string) string {
	tb.Helper()
	to, err := htmlindex.Get(label)
	if err != nil {
		tb.Fatal(err)
	}
	bytes, err := to.NewEncoder().String(text)
	if err != nil {
		tb.Fatal(err)
	}
	return bytes
}

func TestDeviationHZIsRead(t *testing.T) {
	body, err := simplifiedchinese.HZGB2312.NewEncoder().String("天气很好")
	if err != nil {
		t.Fatal(err)
	}
	text, charset := content.Decode([]byte(body), "text/html; charset=hz-gb-2312")
	if string(text) != "天气很好" || charset.Name != "hz-gb-2312" {
		t.Errorf("got %q, %v", text, charset)
	}
}

// TestDetect has texts without a declared charset, in the charsets that are common
// for such pages.
func TestDetect(t *testing.T) {
	const (
		russian  = "Это первый абзац статьи, он достаточно длинный, чтобы его прочитать. Второй говорит о погоде."
		japanese = "これは文字コードの判定を確かめるための長い段落です。天気が良いので公園に行きます。"
		czech    = "Příliš žluťoučký kůň úpěl ďábelské ódy. Město je krásné a lidé jsou přátelští."
	)
	for label, text := range map[string]string{
		"windows-1251": russian,
		"koi8-r":       russian,
		"gbk":          "这是一个很长的段落，用来检测字符编码是否正确。天气很好，我们去公园散步。",
		"big5":         "這是一個很長的段落，用來檢測字符編碼是否正確。天氣很好，我們去公園散步。",
		"shift_jis":    japanese,
		"euc-jp":       japanese,
		"iso-2022-jp":  japanese,
		"euc-kr":       "이것은 문자 인코딩을 확인하기 위한 긴 단락입니다. 날씨가 좋아서 공원에 갑니다.",
		"windows-1250": czech,
		"iso-8859-2":   czech,
		"windows-1252": "“Smart quotes” – and dashes in English text, it’s common",
		"windows-1253": "Αυτό είναι ένα κείμενο στα ελληνικά για να δούμε αν η κωδικοποίηση είναι σωστή.",
		"windows-1254": "Türkçe bir metin, kodlamanın doğru olup olmadığını görmek için yazıldı. Şu ılık güzel gün.",
		"windows-1255": "זהו טקסט בעברית כדי לבדוק אם הקידוד מזוהה כראוי או לא.",
		"windows-1256": "هذا نص باللغة العربية للتحقق من أن الترميز معروف بشكل صحيح أم لا.",
	} {
		t.Run(label, func(t *testing.T) {
			body := "<html><body><p>" + encoded(t, label, text) + "</p>"
			got, charset := content.Decode([]byte(body), "text/html")
			if !strings.Contains(string(got), text) || charset.Source != "detected" {
				t.Errorf("got %q, %v, want %q", got, charset, text)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("<meta charset=windows-1251>\xe4"), "text/html")
	f.Add([]byte("<!--><script><meta http-equiv=content-type content='charset=gbk'>"), `text/html;charset="`)
	f.Add([]byte("<?xml encoding='koi8-r'?>\x1b$B"), ",;,")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		_, charset := content.Decode(body, contentType)
		if charset.Name == "" || charset.Source == "" {
			t.Errorf("got %v, want a name and a source", charset)
		}
	})
}

// BenchmarkDecode has pages of 20 KB: one that declares its charset, one that does
// not, and one that only seems to.
func BenchmarkDecode(b *testing.B) {
	text := "<html><head><title>t</title></head><body>" + strings.Repeat("<p class='x'>Some words <a href='/x'>and a link</a>. ", 400)
	for name, page := range map[string]string{
		"meta":   "<meta charset=utf-8>" + text,
		"none":   text,
		"script": text + "<script charset=utf-8></script>",
	} {
		b.Run(name, func(b *testing.B) {
			body := []byte(page)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				content.Decode(body, "text/html")
			}
		})
	}
}
