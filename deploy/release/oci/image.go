package oci

import (
	"bytes"
	"io"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/ovation-analytics/ovation/deploy/release/archive"
)

// User is the number of the user that a node runs as, and of its group.
const User = 65532

// Release is what the images are made of.
type Release struct {
	Version, Revision string
	At                time.Time
	Programs          map[string][]byte // by architecture
}

// architectures in the order of the index.
var architectures = []string{"amd64", "arm64"}

// Index is the index of an image for each architecture of which there is a program.
func Index(r Release) (v1.ImageIndex, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, architecture := range architectures {
		program, ok := r.Programs[architecture]
		if !ok {
			continue
		}
		image, err := imageOf(r, architecture, program)
		if err != nil {
			return nil, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image,
			Descriptor: v1.Descriptor{
				MediaType: types.OCIManifestSchema1, Platform: &v1.Platform{OS: "linux", Architecture: architecture},
			},
		})
	}
	return mutate.Annotations(index, labels(r)).(v1.ImageIndex), nil
}

// Write writes the index as a layout into a new directory.
func Write(dir string, index v1.ImageIndex, name string) error {
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	return path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": name}))
}

func labels(r Release) map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":       "ovation",
		"org.opencontainers.image.description": "Audience analytics from a log",
		"org.opencontainers.image.version":     r.Version,
		"org.opencontainers.image.revision":    r.Revision,
		"org.opencontainers.image.created":     r.At.UTC().Format(time.RFC3339),
		"org.opencontainers.image.licenses":    "Apache-2.0",
	}
}

func imageOf(r Release, architecture string, program []byte) (v1.Image, error) {
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.ConfigFile(image, &v1.ConfigFile{
		OS: "linux", Architecture: architecture, Created: v1.Time{Time: r.At.UTC()},
		RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User:         "65532:65532",
			WorkingDir:   "/data",
			Entrypoint:   []string{"/ovation"},
			Cmd:          []string{"serve", "--data", "/data", "--http", "0.0.0.0:8080"},
			ExposedPorts: map[string]struct{}{"8080/tcp": {}},
			Volumes:      map[string]struct{}{"/data": {}},
			StopSignal:   "SIGTERM",
			Labels:       labels(r),
			Healthcheck: &v1.HealthConfig{
				Test:     []string{"CMD", "/ovation", "status", "--ready"},
				Interval: 10 * time.Second, Timeout: 5 * time.Second, StartPeriod: 10 * time.Minute, Retries: 3,
			},
		},
	})
	if err != nil {
		return nil, err
	}
	root, err := archive.Tar(r.At,
		archive.Entry{Name: "ovation", Mode: 0o755, Data: program},
		archive.Entry{Name: "data/", Mode: 0o700, Owner: User},
		archive.Entry{Name: "etc/", Mode: 0o755},
		archive.Entry{Name: "etc/group", Mode: 0o644, Data: []byte("root:x:0:\novation:x:65532:\n")},
		archive.Entry{Name: "etc/passwd", Mode: 0o644, Data: []byte("root:x:0:0:root:/:/sbin/nologin\novation:x:65532:65532:Ovation:/data:/sbin/nologin\n")},
		archive.Entry{Name: "tmp/", Mode: 0o1777},
	)
	if err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(root)), nil }
	layer, err := tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
	if err != nil {
		return nil, err
	}
	return mutate.Append(image, mutate.Addendum{
		Layer: layer, MediaType: types.OCILayer,
		History: v1.History{Created: v1.Time{Time: r.At.UTC()}, CreatedBy: "ovation release"},
	})
}
