package oci

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

func release() Release {
	return Release{
		Version: "v1.2.3", Revision: "abc", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Programs: map[string][]byte{"amd64": []byte("program of amd64"), "arm64": []byte("program of arm64")},
	}
}

// written is the index as it is read back from the disk.
func written(t *testing.T, r Release) (dir string, index v1.ImageIndex) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "image")
	made, err := Index(r)
	if err == nil {
		err = Write(dir, made, r.Version)
	}
	if err != nil {
		t.Fatal(err)
	}
	path, err := layout.FromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	top, err := path.ImageIndex()
	if err != nil {
		t.Fatal(err)
	}
	m, err := top.IndexManifest()
	if err != nil || len(m.Manifests) != 1 || m.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != r.Version {
		t.Fatalf("%+v %v", m, err)
	}
	if index, err = top.ImageIndex(m.Manifests[0].Digest); err != nil {
		t.Fatal(err)
	}
	return dir, index
}

// The layout is valid, of both architectures, in media types of OCI; two makings are one digest, another program another.
func TestWrite_ValidAndReproducible(t *testing.T) {
	_, index := written(t, release())
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	m, err := index.IndexManifest()
	if err != nil || len(m.Manifests) != 2 || m.MediaType != types.OCIImageIndex {
		t.Fatalf("%+v %v", m, err)
	}
	for i, architecture := range architectures {
		d := m.Manifests[i]
		image, err := index.Image(d.Digest)
		if err != nil {
			t.Fatal(err)
		}
		manifest, err := image.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		if d.Platform.String() != "linux/"+architecture || d.MediaType != types.OCIManifestSchema1 || manifest.MediaType != types.OCIManifestSchema1 ||
			manifest.Config.MediaType != types.OCIConfigJSON || len(manifest.Layers) != 1 || manifest.Layers[0].MediaType != types.OCILayer {
			t.Errorf("%s: %v %+v", architecture, d.Platform, manifest)
		}
		config, err := image.ConfigFile()
		if err != nil || config.Architecture != architecture || config.Config.User != "65532:65532" || config.Config.Labels["org.opencontainers.image.revision"] != "abc" {
			t.Errorf("%+v %v", config, err)
		}
	}
	digest := func(r Release) string {
		_, index := written(t, r)
		d, err := index.Digest()
		if err != nil {
			t.Fatal(err)
		}
		return d.String()
	}
	other := release()
	other.Programs["arm64"] = []byte("another program")
	if a, b, c := digest(release()), digest(release()), digest(other); a != b || a == c {
		t.Errorf("digests %s, %s and of another program %s", a, b, c)
	}
}

// A foreign tool unpacks the image of one architecture.
func TestWrite_Umoci(t *testing.T) {
	umoci, err := exec.LookPath("umoci")
	if err != nil {
		t.Skip("umoci is not installed")
	}
	r := release()
	delete(r.Programs, "arm64")
	index, err := Index(r)
	if err != nil {
		t.Fatal(err)
	}
	m, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	image, err := index.Image(m.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path, err := layout.Write(filepath.Join(dir, "image"), index)
	if err == nil {
		err = path.AppendImage(image, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": "node"}))
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(umoci, "unpack", "--rootless", "--image", filepath.Join(dir, "image")+":node", filepath.Join(dir, "bundle")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	program, err := os.ReadFile(filepath.Join(dir, "bundle/rootfs/ovation"))
	if err != nil || !bytes.Equal(program, r.Programs["amd64"]) {
		t.Errorf("%q %v", program, err)
	}
}
