package crawldir

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

// Settings returns the settings that the crawl in path was started with.
func Settings(path string) (configs.Config, error) {
	c := configs.Default()
	name := filepath.Join(path, SettingsName)
	data, err := os.ReadFile(name)
	if err != nil {
		return c, fmt.Errorf("open crawl directory: %w", err)
	}
	return c, configs.Load(name, data, &c)
}

// writeSettings writes the files of a new directory that come before its state:
// the settings, which mark the directory as ours, and then the other files.
func writeSettings(root *os.Root, c configs.Config, files []File) error {
	settings, err := configs.Encode(c)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteData(root, SettingsName, append([]byte(settingsHead), settings...)); err != nil {
		return err
	}
	for _, file := range files {
		if err := atomicfile.WriteData(root, file.Name, file.Data); err != nil {
			return err
		}
	}
	return nil
}
