import type { SeriesLine } from '../../src/api.ts'

/** What a line is called. A key may be called `none`: what has no key is told apart from it. */
export function lineName({ kind, name }: SeriesLine): string {
  if (kind === 'none') return '(none)'
  if (kind === 'other') return '(all others)'
  return kind === 'all' ? 'All requests' : name
}
