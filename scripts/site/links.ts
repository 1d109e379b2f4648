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
  let fence: string | undefined
  return text
    .split('\n')
    .map(line => {
      const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
      if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
        fence = fence === undefined ? mark : undefined
        return line
      }
      if (fence !== undefined) return line
      return line.replace(
        /(!?)\[((?:[^[\]]|\[[^[\]]*\])*)\]\(([^)\s]+)\)/g,
        (whole, image: string, label: string, to: string) => {
          if (image !== '' || /^(?:[a-z]+:|#|\/)/.test(to)) return whole
          const [path = '', hash] = to.split('#')
          const target = posix.join(posix.dirname(file), path).replace(/\/$/, '')
          const site = sites.get(target) ?? sites.get(`${target}/README.md`)
          if (site === undefined) return label
          return `[${label}](/${site === 'index' ? '' : site}${hash === undefined ? '' : `#${hash}`})`
        },
      )
    })
    .join('\n')
}
