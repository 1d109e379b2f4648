import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const unread = new Set(['node_modules', 'dist', '.site', '.git', 'coverage'])
const textual = /\.(?:[cm]?[jt]sx?|json|md|ya?ml|sh|txt|toml)$|^[^.]+$|^\.[a-z]+$/
const own = relative(root, import.meta.filename)

/** An absolute path below a folder that differs from machine to machine. */
const machinePath = /(?<![\w.$~)}\]/-])\/(?:work|root|home|Users|tmp|private|mnt)\/(?!\*)[\w.-]|\bC:\\Users\\/

/** Every text that belongs to the project, but for the lockfile, which no one writes by hand. */
function textsUnder(folder: string): { file: string; lines: string[] }[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    // `.git` is a file in a worktree.
    if (unread.has(entry.name)) return []
    if (entry.isDirectory()) return textsUnder(path)
    if (!entry.isFile() || !textual.test(entry.name) || entry.name === 'pnpm-lock.yaml') return []
    return [{ file: relative(root, path), lines: readFileSync(path, 'utf8').split('\n') }]
  })
}

const texts = textsUnder(root).filter(({ file }) => file !== own)
const tests = texts.filter(({ file }) => file.endsWith('.test.ts'))

/** Every line that a pattern is found in, and where it is. */
function found(pattern: RegExp, among = texts): string[] {
  return among.flatMap(({ file, lines }) =>
    lines.flatMap((line, at) =>
      pattern.test(line) ? [`${file}:${at + 1} ${line.trim().slice(0, 120)}`] : [],
    ),
  )
}

describe('the project', () => {
  it('is read', () => {
    const files = texts.map(({ file }) => file)
    expect(files).toEqual(
      expect.arrayContaining(['package.json', 'README.md', join('packages', 'core', 'src', 'index.ts')]),
    )
    expect(files.length).toBeGreaterThan(200)
    expect(tests.length).toBeGreaterThan(40)
  })

  it('knows no path of any one machine', () => {
    expect(found(machinePath)).toEqual([])
  })

  it('runs all of its tests', () => {
    expect(found(/\b(?:describe|it|test|suite|bench)(?:\.\w+)*\.(?:only|skip|todo|fails)\b/, tests)).toEqual(
      [],
    )
  })

  it('has no leftovers', () => {
    expect(found(/^(?:<{7}|>{7}|={7}$)|^\s*debugger\b/)).toEqual([])
    expect(found(/^\s*(?:\/\/|\/\*)\s*(?:@ts-(?:ignore|nocheck)|eslint-disable)/)).toEqual([])
  })
})

describe('the rule of paths', () => {
  // Put together here so that this file holds none itself.
  const slash = '/'
  const line = (text: string) => [{ file: 'x', lines: [text] }]

  it.each([
    `import x from '${slash}work${slash}main/a.ts'`,
    `see ${slash}home${slash}ann/notes`,
    `"${slash}tmp${slash}brief.md"`,
    'C:\\Users\\ann',
  ])('sees %s', text => {
    expect(found(machinePath, line(text))).toHaveLength(1)
  })

  it.each(['https://host/home/page', './home/a.ts', '/v1/models', 'a/tmp/b'])('passes %s', text => {
    expect(found(machinePath, line(text))).toEqual([])
  })
})
