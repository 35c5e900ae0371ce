package configs

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// FileError is an error in a settings file. Line and Column count from 1.
type FileError struct {
	File    string
	Line    int
	Column  int
	Message string
	Hint    string // what to write instead, or empty
}

// Error returns the message after its place in the file.
func (e *FileError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Default returns the default of every setting.
func Default() Config {
	return Config{
		AgentToken: "decorum",
		Seed:       []string{}, Scope: "host", Include: []string{}, Exclude: []string{}, Discover: []string{"sitemap", "links"},
		Delay: Duration(1e9), MaxDelay: Duration(60e9), Workers: 32, Timeout: Duration(30e9),
		MaxPageBytes: 10 << 20, MaxRedirects: 10, MaxRetries: 3, MaxURLLength: 2048, MaxDepth: 20,
		TrapBudget:  200,
		MinFreeDisk: 1 << 30,
		AllowNet:    []string{}, Own: []string{}, FailOn: []string{},
		Store: []string{"pages"}, WARCBytes: 1 << 30,
		LogFormat: "text", Progress: "auto", ProgressInterval: Duration(30e9),
	}
}

// Load merges YAML into c; file is its name in errors. An unknown key or an
// invalid value is a [*FileError].
func Load(file string, data []byte, c *Config) error {
	tree, err := parser.ParseBytes(bytes.TrimPrefix(data, []byte("\ufeff")), 0)
	if err != nil {
		return yamlError(file, err)
	}
	for _, document := range tree.Docs {
		if err := merge(file, document.Body, c); err != nil {
			return err
		}
	}
	return nil
}

// merge sets the keys of a document and leaves the others unchanged.
func merge(file string, body ast.Node, c *Config) error {
	var pairs []*ast.MappingValueNode
	switch node := body.(type) {
	case *ast.MappingNode:
		pairs = node.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{node}
	case nil, *ast.NullNode, *ast.CommentGroupNode:
	default:
		return &FileError{File: file, Line: 1, Column: 1, Message: "settings are lines of the form key: value"}
	}
	for _, pair := range pairs {
		key := pair.Key.GetToken()
		field, ok := fieldOf(c, key.Value)
		if !ok {
			return unknownKey(file, key)
		}
		if err := yaml.NodeToValue(pair.Value, field.Addr().Interface(), yaml.Strict()); err != nil {
			fault := yamlError(file, err)
			if fault.Line == 1 {
				fault.Line, fault.Column = key.Position.Line, key.Position.Column
			}
			fault.Message = key.Value + ": " + fault.Message
			return fault
		}
	}
	return nil
}

func unknownKey(file string, key *token.Token) error {
	fault := &FileError{File: file, Line: key.Position.Line, Column: key.Position.Column, Message: fmt.Sprintf("unknown key %q", key.Value)}
	if name := nearest(key.Value); name != "" {
		fault.Hint = fmt.Sprintf("did you mean %q?", name)
	}
	return fault
}

// fieldOf returns the field of a key and reports whether the key is known.
func fieldOf(c *Config, key string) (reflect.Value, bool) {
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("yaml") == key {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

func yamlError(file string, err error) *FileError {
	fault := &FileError{File: file, Line: 1, Column: 1, Message: err.Error()}
	if at, ok := errors.AsType[yaml.Error](err); ok {
		fault.Message = at.GetMessage()
		if token := at.GetToken(); token != nil && token.Position != nil {
			fault.Line, fault.Column = token.Position.Line, token.Position.Column
		}
	}
	return fault
}

// Encode returns c as YAML that [Load] can read.
func Encode(c Config) ([]byte, error) {
	data, err := yaml.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("write settings: %w", err)
	}
	return data, nil
}

// Set sets a key from text. If the key takes a single value, the last one counts.
func Set(c *Config, key string, values []string) error {
	field, ok := fieldOf(c, key)
	if !ok || len(values) == 0 {
		return fmt.Errorf("unknown key %q", key)
	}
	if err := setField(field, values); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

func setField(field reflect.Value, values []string) error {
	last := values[len(values)-1]
	switch at := field.Addr().Interface().(type) {
	case *Duration:
		d, err := ParseDuration(last)
		*at = d
		return err
	case *Size:
		s, err := ParseSize(last)
		*at = s
		return err
	case *int:
		n, err := strconv.Atoi(last)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", last)
		}
		*at = n
	case *bool:
		b, err := strconv.ParseBool(last)
		if err != nil {
			return fmt.Errorf("%q is not true or false", last)
		}
		*at = b
	case *string:
		*at = last
	case *[]string:
		*at = append([]string{}, values...)
	}
	return nil
}

// ApplyEnv sets every key whose environment variable is not empty: for example,
// DECORUM_MAX_DELAY sets max-delay. The values of a list are separated by commas.
func ApplyEnv(getenv func(string) string, c *Config) error {
	for _, key := range Keys() {
		name := "DECORUM_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
		value := getenv(name)
		if value == "" {
			continue
		}
		values := []string{value}
		if Form(key) == "LIST" {
			values = strings.Split(value, ",")
		}
		if err := Set(c, key, values); err != nil {
			return fmt.Errorf("environment %s: %w", name, err)
		}
	}
	return nil
}
