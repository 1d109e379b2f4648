import type { Group, Page } from './repository.ts'

/** A page's title and its first paragraph's first sentence, without marks. */
export function titleAndLead({ file, text }: Pick<Page, 'file' | 'text'>): { title: string; lead: string } {
  const title = /^# (.+)$/m.exec(text)?.[1]
  if (title === undefined) throw new Error(`${file} has no title: its first line has to be "# Title".`)
  const paragraph = text
    .slice(text.indexOf(`# ${title}`) + title.length + 2)
    .split(/\n\s*\n/)
    .map(block => block.trim())
    .find(block => /^[A-Z`*\d[]/.test(block) && !block.startsWith('```'))
  const plain = (paragraph ?? '')
    .replaceAll('\n', ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*/g, '')
  return { title: title.replaceAll('`', ''), lead: /^.*?\.(?=\s|$)/.exec(plain)?.[0] ?? plain }
}

/**
 * The site for language models (llmstxt.org): `llms.txt`, a list of all pages by group with a sentence on each, and
 * `llms-full.txt`, their whole text. `pages` have the text that the site has.
 */
export function llmsTexts(
  pages: readonly Page[],
  contents: readonly Group[],
): Record<'llms.txt' | 'llms-full.txt', string> {
  const bySite = new Map(pages.map(page => [page.site, page]))
  const index = bySite.get('index')!
  const { title, lead } = titleAndLead(index)
  const groups = contents.map(group => ({
    title: group.title,
    pages: group.pages.map(name => bySite.get(name)!),
  }))
  const packages = pages.filter(({ site }) => site.startsWith('packages/'))
  const listed = [...groups, { title: 'Packages', pages: packages }]
  const list = listed.map(group => `## ${group.title}\n\n${group.pages.map(line).join('\n')}`)
  const full = [index, ...listed.flatMap(group => group.pages)].map(({ text }) => text.trim())
  return {
    'llms.txt': `# ${title}\n\n> ${lead}\n\n${list.join('\n\n')}\n`,
    'llms-full.txt': `${full.join('\n\n---\n\n')}\n`,
  }
}

function line(page: Page): string {
  const { title, lead } = titleAndLead(page)
  return `- [${title}](/${page.site}.md): ${lead}`
}
