package corpus

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// The keys of decorum.doc/1 in their order: readers rely on both.
const keys = `id text source added created url date language language_score title text_sha256 simhash train train_basis
metadata schema crawl_id final_url http_status content_type charset charset_source etag last_modified payload_digest
warc_file warc_offset robots_digest robots_fetched_at robots_rule robots_line policy signals author sitename extractor
dup_of truncated`

func TestDocumentHasEveryKey(t *testing.T) {
	record, err := json.Marshal(Document{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, key := range regexp.MustCompile(`"(\w+)":`).FindAllStringSubmatch(string(record), -1) {
		got = append(got, key[1])
	}
	if diff := cmp.Diff(strings.Fields(keys), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if strings.Contains(string(record), "null") {
		t.Errorf("an empty document has a null: %s", record)
	}
}

func TestDocumentParquetHasTheSameKeys(t *testing.T) {
	var got []string
	var visit func(fields []parquet.Field)
	visit = func(fields []parquet.Field) {
		for _, field := range fields {
			got = append(got, field.Name())
			if field.Name() != "signals" {
				visit(field.Fields())
			}
			if field.Optional() {
				t.Errorf("%s may be null", field.Name())
			}
		}
	}
	visit(parquet.SchemaOf(Document{}).Fields())
	if diff := cmp.Diff(strings.Fields(keys), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDocumentID(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 5, time.FixedZone("", 3600))
	got := DocumentID("https://example.org/", at)
	if !regexp.MustCompile(`^urn:decorum:[0-9a-f]{32}$`).MatchString(got) {
		t.Errorf("got %q", got)
	}
	if DocumentID("https://example.org/", at.UTC()) != got {
		t.Error("the time zone changes the ID")
	}
	if DocumentID("https://example.org/", at.Add(1)) == got || DocumentID("https://example.org/a", at) == got {
		t.Error("another page or time has the same ID")
	}
}

func TestFormatSimhash(t *testing.T) {
	if got, want := FormatSimhash(0xab), "00000000000000ab"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestScoreIsAlwaysAFraction(t *testing.T) {
	for score, want := range map[Score]string{0: "0.0", 1: "1.0", 0.25: "0.25", 1e-9: "0.000000001"} {
		if got, err := json.Marshal(score); err != nil || string(got) != want {
			t.Errorf("got %s (%v), want %s", got, err, want)
		}
	}
}
