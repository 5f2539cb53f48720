package console

import (
	"embed"
	"io/fs"
	"path"
	"strings"

	"github.com/ovation-analytics/ovation/api/pages"
)

//go:embed web
var web embed.FS

// policy lets a page load and ask this server alone, and make no markup of text.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// kinds are the media types of the files.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".json": "application/json", ".svg": "image/svg+xml", ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8",
}

// Files are the page, at /, and what it loads, below /web.
func Files() (files []pages.File) {
	_ = fs.WalkDir(web, "web", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := web.ReadFile(name)
		if err != nil {
			return err
		}
		at := "/" + name
		if name == "web/index.html" {
			at = "/"
		}
		ext := path.Ext(name)
		files = append(files, pages.File{
			Path: at, Kind: kinds[ext], Policy: policy, Body: body,
			Together: ext == ".html" || ext == ".js" || ext == ".css", // modules of two versions import each other in vain
		})
		return nil
	}) // of what is embedded nothing fails
	return files
}

// own reports that a file is the project's: it was not made of others.
func own(path string) bool { return !strings.HasPrefix(path, "/web/vendor/") }
