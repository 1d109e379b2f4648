import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anchorOf } from '../../scripts/site/anchors.ts'
import { type Fence, fencesOf, pages, readPage, root } from './runner/markdown.ts'

describe.each(pages)('%s', page => {
  it('links to files and headings that exist', () => {
    const text = readPage(page).replaceAll(/^```[\s\S]*?^```/gm, '')
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [path = '', heading] = target.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      expect(existsSync(join(root, file)), `${target} in ${page}`).toBe(true)
      if (heading !== undefined) expect(anchorsOf(readPage(file)), target).toContain(heading)
    }
  })

  it('names paths that exist', () => {
    const text = readPage(page).replaceAll(/^```[\s\S]*?^```/gm, '')
    const paths = [
      ...text.matchAll(/`((?:packages|examples|test|docs|scripts|\.changeset|\.ci)\/[\w./-]+)`/g),
    ]
    for (const [, path = ''] of paths) expect(existsSync(join(root, path)), `${path} in ${page}`).toBe(true)
  })

  it('has lines that fit', () => {
    const text = readPage(page).replaceAll(/^```[\s\S]*?^```/gm, '')
    const long = text
      .split('\n')
      .filter(line => line.length > 130 && !line.startsWith('|') && !line.startsWith('- ['))
    expect(long).toEqual([])
  })
})

describe('the snippets', () => {
  it('of each page have a test', () => {
    const tests = readdirSync(import.meta.dirname)
      .filter(name => name.endsWith('.test.ts'))
      .map(name => readPage(`test/docs/${name}`))
      .join('\n')
    // Commands of the workspace are checked below.
    const isRun = ({ language, name }: Fence) => /^(?:ts|sh)$/.test(language) && name !== 'commands'
    const run = pages.filter(page => fencesOf(page).some(isRun))
    expect(run.length).toBeGreaterThan(50)
    const untested = run.filter(page => {
      const name = /^packages\/([\w-]+)\/README\.md$/.exec(page)?.[1]
      return !tests.includes(`'${page}'`) && !(name !== undefined && tests.includes(`  ${name}: `))
    })
    expect(untested).toEqual([])
  })
})

describe('the commands', () => {
  const { scripts } = JSON.parse(readPage('package.json'))

  it('are scripts of the project, or run files that exist', () => {
    const commands = pages.flatMap(page => [
      ...readPage(page).matchAll(/npx -y pnpm ([\w:-]+)(?: (tsx|vitest run) (\S+?))?[`\n]/g),
    ])
    expect(commands.length).toBeGreaterThan(20)
    for (const [text, command = '', , path] of commands) {
      if (command === 'exec') expect(existsSync(join(root, path ?? 'nothing')), text).toBe(true)
      else expect(scripts[command], text).toBeTypeOf('string')
    }
  })
})

/** The anchors of a page's headings, as GitHub and the site have them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
}
