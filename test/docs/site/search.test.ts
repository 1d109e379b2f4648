import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import MiniSearch from 'minisearch'
import { describe, expect, it } from 'vitest'
import { anchorOf } from '../../../scripts/site/anchors.ts'
import { siteLinks } from '../../../scripts/site/links.ts'
import { pages } from '../../../scripts/site/repository.ts'
import { searchedSections, searchOptions, sectionsOf } from '../../../scripts/site/search.ts'
import { root } from '../runner/markdown.ts'

// The index of the site, as VitePress makes it of the same sections and options.

const all = pages()
const sites = new Map(all.map(({ file, site }) => [file, site]))
const { searchOptions: ranking, ...fields } = searchOptions
const index = new MiniSearch({ ...fields, searchOptions: ranking })
for (const page of all) {
  for (const { anchor, titles, text } of searchedSections({ ...page, text: siteLinks(page, sites) }))
    index.add({
      id: anchor === '' ? page.site : `${page.site}#${anchor}`,
      title: titles.at(-1),
      titles: titles.slice(0, -1),
      text,
    })
}

/** The first results, each a page with the heading that was found. */
const find = (query: string, count: number) =>
  index
    .search(query)
    .slice(0, count)
    .map(({ id }) => String(id))

/** What people type, and the page that has the answer. Of several pages, one is enough. */
const queries: readonly (readonly [query: string, ...pages: string[]])[] = [
  ['docker', 'deployment', 'faq'],
  ['pricing', 'faq'],
  ['claude code', 'claude-code'],
  ['rate limit per user', 'user-budgets', 'limits'],
  ['langchain', 'langchain'],
  ['openai compatible', 'faq', 'providers'],
  ['streaming stops', 'faq'],
  ['postgres', 'scaling', 'packages/postgres'],
  ['kubernetes', 'deployment', 'faq', 'observing'],
  ['redact pii', 'redaction'],
  ['api keys', 'keys'],
  ['budget', 'user-budgets', 'limits'],
  ['fallback', 'routing', 'retries'],
  ['retry', 'retries', 'errors'],
  ['429', 'faq', 'errors'],
  ['prometheus', 'observing'],
  ['langfuse', 'langfuse'],
  ['nextjs', 'nextjs'],
  ['embeddings', 'embeddings'],
  ['cost per user', 'user-budgets'],
  ['litellm', 'comparison', 'coming-from'],
  ['express', 'express'],
  ['cursor', 'cursor'],
  ['open webui', 'open-webui'],
  ['timeout', 'errors', 'custom-gateway'],
  ['good first issue', 'good-first-issues'],
  ['rate_limit_exceeded', 'errors'],
  ['insufficient_quota', 'errors'],
  ['vercel ai sdk', 'ai-sdk'],
  ['cors', 'custom-gateway'],
  ['jwt', 'keys', 'packages/jwt'],
  ['load test', 'simulation'],
  ['what if openai is down', 'simulation'],
  ['simulate traffic', 'simulation'],
]

describe('the search of the site', () => {
  it.each(queries)(
    'finds for "%s" one of the right pages among the first three results',
    (query, ...right) => {
      const found = find(query, 3)
      expect(
        found.filter(id => right.includes(id.split('#')[0]!)),
        `found ${found.join(', ')}`,
      ).not.toEqual([])
    },
  )

  it('has the version of MiniSearch that the site has', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'node_modules/minisearch/package.json'), 'utf8'))
    expect(readFileSync(join(root, 'docs/pnpm-lock.yaml'), 'utf8')).toContain(`\n  minisearch@${version}:`)
  })

  it('finds no decisions, and of the changelog its title only', () => {
    const ids = all.flatMap(page => searchedSections(page).map(({ anchor }) => `${page.site}#${anchor}`))
    expect(ids.filter(id => /^(?:decisions\/|code#|contributing#|changelog#.)/.test(id))).toEqual([])
    expect(ids).toContain('changelog#')
  })
})

describe('sectionsOf', () => {
  it('takes a page apart at its headings, not at comments in code', () => {
    const text =
      '# A `page`\n\nLead.\n\n## First [link](b.md)\n\n```sh\n# no heading\nrun\n```\n\n### Below\n\nMore.\n\n## First link\n'
    expect(sectionsOf(text)).toEqual([
      { anchor: '', titles: ['A page'], text: 'Lead.' },
      { anchor: 'first-link', titles: ['A page', 'First link'], text: '# no heading run' },
      { anchor: 'below', titles: ['A page', 'First link', 'Below'], text: 'More.' },
      { anchor: 'first-link-1', titles: ['A page', 'First link'], text: '' },
    ])
  })
})

describe('anchorOf', () => {
  it.each([
    ['Rate limits', 'rate-limits'],
    ['`local()`', 'local'],
    ['rate_limit_exceeded', 'rate_limit_exceeded'],
    ['A/B split', 'ab-split'],
    ['See [limits](limits.md#a)', 'see-limits'],
  ])('of %s is %s', (heading, anchor) => {
    expect(anchorOf(heading)).toBe(anchor)
  })
})
