import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ImportNode, ImportReader, type Path, pathText } from './import-reader.ts'
import { reportText, serializeConfig } from './import-result.ts'
import { importLiteLLM } from './litellm/import-litellm.ts'
import { parseSource } from './parse-source.ts'
import { importPortkey } from './portkey/import-portkey.ts'

const sources = [
  { name: 'litellm', kind: 'yaml', read: importLiteLLM },
  { name: 'portkey', kind: 'json', read: importPortkey },
] as const

/** Members of these have names of the user's own, and are carried. */
const anyName = /headers$/

const canary = 'canary-of-the-property'

describe.each(sources)('what is imported from $name', ({ name, kind, read }) => {
  const folder = join(import.meta.dirname, 'fixtures', name)
  const values = readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name: file }) => parseSource(readFileSync(join(folder, file), 'utf8'), kind))

  it('tells of every member that nobody knows, wherever it stands', () => {
    const strange = fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null))
    fc.assert(
      fc.property(fc.constantFrom(...values), fc.nat(), strange, (value, at, added) => {
        const copy = structuredClone(value)
        const objects = objectsIn(new ImportNode(new ImportReader(copy), [], copy)).filter(
          ({ pathText: target }) => !anyName.test(target),
        )
        const { path, value: holder } = objects[at % objects.length]!
        ;(holder as Record<string, unknown>).zz_strange = added
        const told = read(copy).unsupported.map(({ path: target }) => target)
        expect(prefixesOf([...path, 'zz_strange']).some(target => told.includes(target))).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  it('never fails and never shows a key, whatever stands in any place', () => {
    const anything = fc.jsonValue({ maxDepth: 3 })
    fc.assert(
      fc.property(fc.constantFrom(...values), fc.nat(), anything, (value, at, other) => {
        const copy = structuredClone(value) as Record<string, unknown>
        const parts = allIn(new ImportNode(new ImportReader(copy), [], copy)).filter(
          ({ path }) => path.length > 0,
        )
        const { path } = parts[at % parts.length]!
        const holder = path
          .slice(0, -1)
          .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], copy)
        ;(holder as Record<string | number, unknown>)[path.at(-1)!] = other
        for (const part of objectsIn(new ImportNode(new ImportReader(copy), [], copy)))
          if ('api_key' in (part.value as object)) (part.value as { api_key: unknown }).api_key = canary
        const imported = read(copy)
        expect(serializeConfig(imported.config, 'yaml') + reportText(imported)).not.toContain(canary)
      }),
      { numRuns: 200 },
    )
  })
})

function allIn(part: ImportNode): ImportNode[] {
  return [part, ...part.inner().flatMap(allIn)]
}

function objectsIn(part: ImportNode): ImportNode[] {
  return allIn(part).filter(({ isLeaf, value }) => !isLeaf && !Array.isArray(value))
}

function prefixesOf(path: Path): string[] {
  return path.map((_, at) => pathText(path.slice(0, at + 1)))
}
