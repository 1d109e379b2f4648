import { anchorOf } from './anchors.ts'
import type { Page } from './repository.ts'

/** What a search of the site finds: a heading, and the text below it up to the next one. */
export interface Section {
  /** Empty for the title of a page. */
  readonly anchor: string
  /** The headings above it, and its own at the end. */
  readonly titles: readonly string[]
  readonly text: string
}

/** The search of the site, as MiniSearch takes it. VitePress sends the functions to the browser as text. */
export const searchOptions = {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  searchOptions: {
    fuzzy: 0.2,
    prefix: true,
    boost: { title: 4, titles: 1, text: 2 },
    // A page that is about the words comes before a section that has them in its heading.
    boostDocument: (id: string) => (id.includes('#') ? 1 : 1.6),
  },
}

/**
 * What the search finds of a page, which is found by its path too: `nextjs`. Pages for the project's own developers are in
 * the sidebar only, and the changelog is found by its title: its entries name everything.
 */
export function searchedSections({ site, text }: Pick<Page, 'site' | 'text'>): Section[] {
  if (/^(?:decisions\/|code$|contributing$)/.test(site)) return []
  const [first, ...others] = sectionsOf(text)
  if (first === undefined) return []
  return [{ ...first, text: `${site} ${first.text}` }, ...(site === 'changelog' ? [] : others)]
}

/** The sections of a page in Markdown, in order. */
export function sectionsOf(text: string): Section[] {
  const above: string[] = []
  // Blocks of code have no headings: their lines that begin with # are comments.
  const parts = withoutBlocks(text).split(/^(#{1,6}) (.+)$/m)
  const sections: Section[] = []
  const anchors = new Map<string, number>()
  for (let at = 1; at < parts.length; at += 3) {
    const level = parts[at]!.length - 1
    const title = plain(parts[at + 1]!)
    above.length = level
    above[level] = title
    const anchor = level === 0 ? '' : anchorOf(parts[at + 1]!)
    const earlier = anchors.get(anchor) ?? 0
    anchors.set(anchor, earlier + 1)
    sections.push({
      anchor: earlier === 0 ? anchor : `${anchor}-${earlier}`,
      titles: above.filter(heading => heading !== undefined),
      text: plain(parts[at + 2]!),
    })
  }
  return sections
}

/** Code stays searchable, without the marks around it. */
function withoutBlocks(text: string): string {
  return text.replaceAll(
    /^[ \t]*(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^[ \t]*\1[ \t]*$/gm,
    (_, _mark, code: string) => code.replaceAll(/^#/gm, ' #'),
  )
}

/** Text without the marks of Markdown. */
function plain(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/[`*|]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
