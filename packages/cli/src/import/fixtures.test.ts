import { readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ImportNode, ImportReader } from './import-reader.ts'
import { reportText, serializeConfig } from './import-result.ts'
import { importLiteLLM } from './litellm/import-litellm.ts'
import { parseSource } from './parse-source.ts'
import { importPortkey } from './portkey/import-portkey.ts'

const folder = join(import.meta.dirname, 'fixtures')

const sources = [
  { name: 'litellm', kind: 'yaml', read: importLiteLLM },
  { name: 'portkey', kind: 'json', read: importPortkey },
] as const

const cases = sources.flatMap(source =>
  readdirSync(join(folder, source.name), { withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name: file }) => ({
      ...source,
      file,
      text: readFileSync(join(folder, source.name, file), 'utf8'),
    })),
)

const expected = (source: string, file: string, ending: string) =>
  join(folder, source, 'expected', `${basename(file, extname(file))}.${ending}`)

describe.each(cases)('$name $file', ({ name, kind, read, file, text }) => {
  const value = parseSource(text, kind)
  const imported = read(value)

  it('becomes the expected configuration', async () => {
    await expect(serializeConfig(imported.config, 'yaml')).toMatchFileSnapshot(expected(name, file, 'yaml'))
  })

  it('tells what is expected to be told', async () => {
    await expect(reportText(imported)).toMatchFileSnapshot(expected(name, file, 'txt'))
  })

  it('is the same in every format', () => {
    expect(parse(serializeConfig(imported.config, 'yaml'))).toEqual(imported.config)
    expect(JSON.parse(serializeConfig(imported.config, 'json'))).toEqual(imported.config)
    const code = serializeConfig(imported.config, 'ts')
      .replace(/^import .*\n/, '')
      .replace('export default', 'return')
    expect(new Function('defineConfig', code)((config: unknown) => config)).toEqual(imported.config)
  })

  it('has no leaf that changes nothing and is not told of', () => {
    const silent = leavesOf(value).filter(leaf => {
      const isTold =
        imported.unsupported.some(({ path }) => leaf.pathText === path || beginsWith(leaf.pathText, path)) ||
        imported.secrets.some(({ path }) => leaf.pathText === path)
      return !isTold && JSON.stringify(read(changed(value, leaf))) === JSON.stringify(imported)
    })
    expect(silent.map(({ pathText: target }) => target).filter(target => !harmless.test(target))).toEqual([])
  })

  it('shows no secret', () => {
    const shown = [
      ...(['yaml', 'json', 'ts'] as const).map(format => serializeConfig(imported.config, format)),
      reportText(imported),
    ]
    expect(shown.join('\n')).not.toContain('canary')
  })
})

/** Another one means the same: an order that is behind all others, the end of a name that is known by its beginning. */
const harmless = /\.order$|^targets\[1\]\.provider$/

function leavesOf(value: unknown): readonly ImportNode[] {
  return new ImportNode(new ImportReader(value), [], value).leaves()
}

function beginsWith(target: string, path: string): boolean {
  return target.startsWith(path) && '.['.includes(target.charAt(path.length))
}

/** The value with another one of the same sort at a leaf. */
function changed(value: unknown, { path }: ImportNode): unknown {
  const copy = structuredClone(value) as Record<string | number, unknown>
  const holder = path.slice(0, -1).reduce((inner, key) => inner[key] as typeof copy, copy)
  const key = path.at(-1)!
  const before = holder[key]
  if (typeof before === 'number') holder[key] = before + 1
  else if (typeof before === 'boolean') holder[key] = !before
  else holder[key] = `${String(before)}x`
  return copy
}
