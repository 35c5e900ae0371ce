package format

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/internal/escape"
)

// jsonLines writes one object per line, the summary last.
type jsonLines struct{ encoder *json.Encoder }

func newJSONLines(w io.Writer, _ string) Writer {
	return jsonLines{escape.Encoder(w)}
}

func (j jsonLines) Finding(f audit.Finding) error { return j.encoder.Encode(f) }

func (j jsonLines) End(r *audit.Report) error { return j.encoder.Encode(summaryOf(r)) }

// jsonReport writes one object: the report, with all findings as "findings"
// before the rest, so that none is kept in memory.
type jsonReport struct {
	w     io.Writer
	begun bool
}

func newJSON(w io.Writer, _ string) Writer { return &jsonReport{w: w} }

func (j *jsonReport) Finding(f audit.Finding) error {
	separator := ",\n    "
	if !j.begun {
		j.begun, separator = true, "{\n  \"findings\": [\n    "
	}
	data, err := encode(f)
	if err == nil {
		_, err = io.WriteString(j.w, separator)
	}
	if err == nil {
		_, err = j.w.Write(data)
	}
	return err
}

func (j *jsonReport) End(r *audit.Report) error {
	start := "\n  ],\n"
	if !j.begun {
		start = "{\n  \"findings\": [],\n"
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if _, err := io.WriteString(j.w, start); err != nil {
		return err
	}
	_, err = j.w.Write(append(bytes.TrimPrefix(escape.JSON(data), []byte("{\n")), '\n'))
	return err
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := escape.Encoder(&b).Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
