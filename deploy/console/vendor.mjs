// Makes what the console has of others: one ES module of the view library, the font, the world as finished SVG paths, and
// their licences. npm ci && npm run vendor, when a version changes; vendor_test.go makes them again.
import { build } from 'esbuild'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { geoEqualEarth, geoPath, geoCentroid } from 'd3-geo'
import { feature } from 'topojson-client'
import { iso31661 } from 'iso-3166'

const from = new URL('node_modules', import.meta.url).pathname
const to = process.argv[2] // folder to write to
mkdirSync(to, { recursive: true })

await build({
  stdin: {
    contents: `
      export { h, render, Fragment, createContext } from 'preact'
      export { useState, useEffect, useRef, useMemo, useLayoutEffect, useContext, useId, useCallback } from 'preact/hooks'
      export { signal, computed, effect, batch } from '@preact/signals'
      import { h } from 'preact'
      import htm from 'htm'
      export const html = htm.bind(h)`,
    resolveDir: from + '/..',
  },
  bundle: true, format: 'esm', minify: true, target: 'es2022', outfile: to + '/view.js', legalComments: 'inline',
})

copyFileSync(from + '/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2', to + '/inter-latin.woff2')

// The world: 110m outlines, and a dot for each country that has none there.
const read = (n) => JSON.parse(readFileSync(`${from}/world-atlas/${n}.json`))
const alpha2 = new Map(iso31661.map((c) => [c.numeric, c.alpha2]))
const coarse = read('countries-110m'), fine = read('countries-50m')
const width = 960, height = 430
const shown = feature(coarse, coarse.objects.countries).features.filter((f) => f.id !== '010')
const projection = geoEqualEarth().rotate([-11, 0]).fitSize([width, height], { type: 'FeatureCollection', features: shown.filter((f) => !['242', '304', '010'].includes(f.id)) })
const path = geoPath(projection).digits(1)
const countries = {}
const extra = []
for (const f of shown) {
  const code = alpha2.get(f.id)
  const d = path(f)
  if (code) countries[code] = d
  else extra.push(d)
}
const dots = {}
for (const f of feature(fine, fine.objects.countries).features) {
  const code = alpha2.get(f.id)
  if (!code || countries[code] || f.id === '010') continue
  const [x, y] = projection(geoCentroid(f))
  dots[code] = [Math.round(x), Math.round(y)]
}
writeFileSync(to + '/world.json', JSON.stringify({ width, height, countries, dots, rest: extra.join('') }))

// The licences, each once.
const licences = ['preact', '@preact/signals', 'htm', '@fontsource-variable/inter', 'world-atlas'].map((name) => {
  const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt'].map((f) => `${from}/${name}/${f}`).find(existsSync)
  const { version, license } = JSON.parse(readFileSync(`${from}/${name}/package.json`))
  return `${name} ${version}, ${license}\n\n${file ? readFileSync(file, 'utf8').trim() : ''}\n`
})
writeFileSync(to + '/licences.txt', licences.join('\n' + '-'.repeat(80) + '\n\n'))
