import { titleAndLead } from './llms.ts'
import type { Group, Page } from './repository.ts'

/** The sidebar, as VitePress takes it. */
export function sidebarOf(pages: readonly Page[], contents: readonly Group[]) {
  const bySite = new Map(pages.map(page => [page.site, page]))
  const item = (site: string) => ({ text: titleAndLead(bySite.get(site)!).title, link: `/${site}` })
  const named = (prefix: string) =>
    pages.filter(({ site }) => site.startsWith(prefix)).map(({ site }) => item(site))
  return [
    { text: 'Sluice', items: [{ text: 'What it is', link: '/' }] },
    ...contents.map(({ title, pages: names }) => ({ text: title, items: names.map(item) })),
    { text: 'Packages', collapsed: true, items: named('packages/') },
    {
      text: 'The project',
      collapsed: true,
      items: [item('contributing'), item('security'), item('code'), ...named('decisions/')],
    },
  ]
}
