import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { siteLinks } from '../../../scripts/site/links.ts'
import { llmsTexts, titleAndLead } from '../../../scripts/site/llms.ts'
import { contents, pages } from '../../../scripts/site/repository.ts'
import { sidebarOf } from '../../../scripts/site/sidebar.ts'

// The site itself is built by `pnpm site`; here is what it is made from.

const all = pages()
const sites = new Map(all.map(({ file, site }) => [file, site]))
const told = all.map(page => ({ ...page, text: siteLinks(page, sites) }))

describe('the site', () => {
  it('has every page of docs in one group', () => {
    const docs = all.filter(({ file }) => /^docs\/[^/]+$/.test(file)).map(({ site }) => site)
    expect(contents.flatMap(group => group.pages).sort()).toEqual(docs.sort())
  })

  it('links to pages and pictures that it has', () => {
    const pictures = readdirSync(join(import.meta.dirname, '../../../docs/images')).map(
      name => `images/${name}`,
    )
    const known = new Set(['', 'performance.svg', ...pictures, ...all.map(({ site }) => site)])
    const links = told.flatMap(({ file, text }) =>
      [...text.matchAll(/\]\(\/([^)#\s]*)/g)].map(([, to]) => ({ file, to })),
    )
    expect(links.length).toBeGreaterThan(100)
    expect(links.filter(({ to }) => !known.has(to ?? ''))).toEqual([])
  })

  it('names each page in its sidebar, once', () => {
    const links = sidebarOf(told, contents).flatMap(({ items }) =>
      items.map(({ link }) => link.slice(1) || 'index'),
    )
    expect(links.sort()).toEqual(all.map(({ site }) => site).sort())
  })

  it('tells language models of each page by a sentence, and the whole text of all', () => {
    const { 'llms.txt': short, 'llms-full.txt': full } = llmsTexts(told, contents)
    expect(short).toMatch(
      /^# Sluice\n\n> LLM gateway as a library: OpenAI- and Anthropic-compatible endpoints/,
    )
    const lines = short.split('\n').filter(line => line.startsWith('- '))
    for (const line of lines) expect(line).toMatch(/^- \[[^\]]+\]\(\/[\w/-]+\.md\): .{20,}[.:]$/)
    for (const name of contents.flatMap(group => group.pages)) expect(short).toContain(`(/${name}.md)`)
    for (const { file, text } of told.filter(
      ({ file: name }) => name.startsWith('docs/') && !name.includes('decisions'),
    )) {
      expect(full, file).toContain(text.trim())
    }
  })
})

describe('siteLinks', () => {
  const known = new Map([
    ['README.md', 'index'],
    ['docs/keys.md', 'keys'],
    ['packages/sqlite/README.md', 'packages/sqlite'],
  ])
  const from = (file: string, text: string) => siteLinks({ file, text }, known)

  it.each([
    ['docs/a.md', '[keys](keys.md)', '[keys](/keys)'],
    ['docs/a.md', '[keys](keys.md#digests), [home](../README.md)', '[keys](/keys#digests), [home](/)'],
    ['docs/a.md', '[`sqlite`](../packages/sqlite/)', '[`sqlite`](/packages/sqlite)'],
    ['packages/redis/README.md', '[keys](../../docs/keys.md)', '[keys](/keys)'],
    ['README.md', '[source](examples/app/server.ts)', 'source'],
    ['README.md', '![z](docs/images/z.png)', '![z](/images/z.png)'],
    ['docs/a.md', '![over\nlines](z.svg)', '![over\nlines](/z.svg)'],
    ['README.md', '[x](https://a.example/b.md) [y](#y)', '[x](https://a.example/b.md) [y](#y)'],
    [
      'README.md',
      '```ts\n[a](docs/keys.md)\n```\n[a](docs/keys.md)',
      '```ts\n[a](docs/keys.md)\n```\n[a](/keys)',
    ],
  ])('in %s makes of %j %j', (file, text, expected) => {
    expect(from(file, text)).toBe(expected)
  })
})

describe('titleAndLead', () => {
  it('takes the first sentence of the first paragraph', () => {
    const text = '# `local()`\n\n```ts\ncode()\n```\n\nA **stand-in** of [one](x.md)\nkind. More.\n'
    expect(titleAndLead({ file: 'a.md', text })).toEqual({
      title: 'local()',
      lead: 'A stand-in of one kind.',
    })
  })

  it('refuses a page without a title', () => {
    expect(() => titleAndLead({ file: 'a.md', text: 'Text.' })).toThrow('a.md has no title')
  })
})
