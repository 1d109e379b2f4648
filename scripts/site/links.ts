import { posix } from 'node:path'
import type { Page } from './repository.ts'

/**
 * A page's text with its links as the site has them: `docs/keys.md#digests` from `README.md` becomes `/keys#digests`, and
 * a folder of a package its page. What is a file of the project and no page stays as its text alone: the site has no
 * sources. Links inside code are code.
 *
 * `sites` has the site's path of each file that is a page.
 */
export function siteLinks(
  { file, text }: Pick<Page, 'file' | 'text'>,
  sites: ReadonlyMap<string, string>,
): string {
  const linked = (prose: string): string =>
    prose.replace(
      /(!?)\[((?:[^[\]]|\[[^[\]]*\])*)\]\(([^)\s]+)\)/g,
      (whole, image: string, label: string, to: string) => {
        if (/^(?:[a-z]+:|#|\/)/.test(to)) return whole
        const [path = '', hash] = to.split('#')
        const target = posix.join(posix.dirname(file), path).replace(/\/$/, '')
        // Pictures stand in `docs`, which is the root of the site.
        if (image !== '') return `![${label}](/${target.replace(/^docs\//, '')})`
        const site = sites.get(target) ?? sites.get(`${target}/README.md`)
        if (site === undefined) return label
        return `[${label}](/${site === 'index' ? '' : site}${hash === undefined ? '' : `#${hash}`})`
      },
    )
  // A block of code ends with the mark that it began with; a link may go over the end of a line.
  return text
    .split(/^([ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?^[ \t]*\2[ \t]*$)/m)
    .filter((_, at) => at % 3 !== 2)
    .map((part, at) => (at % 2 === 0 ? linked(part) : part))
    .join('')
}
