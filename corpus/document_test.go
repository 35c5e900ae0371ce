package corpus

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/xeipuuv/gojsonschema"
)

// The keys of decorum.doc/2 in their order: readers rely on both.
const keys = `id text text_format source added url date language language_score language_declared languages title
counts characters words lines tokens marks links symbols doubled_lines doubled_text ellipses bullets ended short_lines fails
text_sha256 simhash dup_of near_dup_of train train_basis
metadata schema crawl_id final_url http_status content_type charset charset_source etag last_modified payload_digest
warc_file warc_offset robots_digest robots_fetched_at robots_rule robots_line policy signals author sitename extractor truncated`

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
			if field.Name() != "signals" && field.Name() != "languages" {
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

func TestTimestamp(t *testing.T) {
	at := time.Date(2026, 3, 1, 13, 0, 0, 123_456_789, time.FixedZone("", 3600))
	data, err := json.Marshal(TimestampOf(at))
	if want := `"2026-03-01T12:00:00.123456Z"`; err != nil || string(data) != want {
		t.Errorf("got %s, %v, want %s", data, err, want)
	}
	for text, want := range map[string]Timestamp{
		string(data): TimestampOf(at), `"2026-03-01T12:00:00Z"`: TimestampOf(at.Truncate(time.Second)), `""`: 0,
	} {
		var got Timestamp
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", text, got, err, want)
		}
	}
	if err := json.Unmarshal([]byte(`"yesterday"`), new(Timestamp)); err == nil {
		t.Error("got no error for what is no time")
	}
}

// schemaFile is the JSON Schema of a row.
const schemaFile = "../docs/decorum.doc-2.schema.json"

// Every key of a row is in its schema, and the schema allows no other.
func TestDocumentFitsItsSchema(t *testing.T) {
	schema, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	whole := Document{
		ID: DocumentID("https://example.org/", time.Unix(1, 0)), Text: "A text.", TextFormat: "markdown", Added: 1, Language: "en",
		Languages: Languages{{"en", 1, 1, 1}}, Train: "none", Metadata: Metadata{Schema: DocumentSchema, Signals: Signals{{Signal: "token", Value: "none"}}},
		TextSHA256: strings.Repeat("a", 64), Simhash: FormatSimhash(1),
	}
	valid := func(d Document, change func(map[string]any)) []string {
		row := map[string]any{}
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &row); err != nil {
			t.Fatal(err)
		}
		change(row)
		got, err := gojsonschema.Validate(gojsonschema.NewBytesLoader(schema), gojsonschema.NewGoLoader(row))
		if err != nil {
			t.Fatal(err)
		}
		var faults []string
		for _, fault := range got.Errors() {
			faults = append(faults, fault.String())
		}
		return faults
	}
	if faults := valid(whole, func(map[string]any) {}); len(faults) > 0 {
		t.Errorf("got %q", faults)
	}
	for name, change := range map[string]func(map[string]any){
		"another key":    func(row map[string]any) { row["more"] = 1 },
		"a key less":     func(row map[string]any) { delete(row, "near_dup_of") },
		"a time of old":  func(row map[string]any) { row["added"] = "2026-03-01T12:00:00Z" },
		"another form":   func(row map[string]any) { row["text_format"] = "html" },
		"a null":         func(row map[string]any) { row["title"] = nil },
		"a mark above 1": func(row map[string]any) { row["marks"].(map[string]any)["links"] = 2 },
	} {
		if faults := valid(whole, change); len(faults) == 0 {
			t.Errorf("%s: got no fault", name)
		}
	}
}
