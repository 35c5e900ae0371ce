package main

import (
	"errors"
	"fmt"
	"os"

	"aead.dev/minisign"
	"github.com/spf13/pflag"

	"github.com/decorum-crawler/decorum/corpus"
)

// signPassword is the environment variable with the password of an encrypted key.
const signPassword = "DECORUM_SIGN_PASSWORD"

// signing signs the manifests that a command writes.
type signing struct {
	name string // of the file with the secret key; empty: nothing is signed
	key  *minisign.PrivateKey
}

func (s *signing) add(flags *pflag.FlagSet) {
	flags.StringVar(&s.name, "sign", "", "sign the manifest with the minisign secret key in this file; "+signPassword+" holds its password, if it has one")
}

// load reads the key, so that a wrong one is known before any work is done.
func (s *signing) load(env environment) error {
	if s.name == "" {
		return nil
	}
	data, err := os.ReadFile(s.name)
	if err != nil {
		return fmt.Errorf("read key: %w", err)
	}
	key, err := secretKey(data, env.getenv(signPassword))
	if err != nil {
		return usageError(fmt.Errorf("read key %s: %w", s.name, err), "name a secret key that minisign -G made, and set "+signPassword+" if it has a password")
	}
	s.key = &key
	return nil
}

func secretKey(data []byte, password string) (key minisign.PrivateKey, err error) {
	switch {
	case !minisign.IsEncrypted(data):
		err = key.UnmarshalText(data)
	case password == "":
		err = errors.New("it is encrypted, and " + signPassword + " is not set")
	default:
		key, err = minisign.DecryptKey(password, data)
	}
	return key, err
}

// sign signs a manifest that was just written, if there is a key.
func (s *signing) sign(root *os.Root, m *corpus.Manifest) error {
	if s.key == nil {
		return nil
	}
	return m.Sign(root, *s.key)
}

// publicKey reads a public key: a file, or the key itself.
func publicKey(given string) (key minisign.PublicKey, err error) {
	if key.UnmarshalText([]byte(given)) == nil {
		return key, nil
	}
	data, err := os.ReadFile(given)
	if err != nil {
		return key, fmt.Errorf("read key: %w", err)
	}
	if err := key.UnmarshalText(data); err != nil {
		return key, usageError(fmt.Errorf("read key %s: %w", given, err), "name the public key of minisign, a file or its second line")
	}
	return key, nil
}
