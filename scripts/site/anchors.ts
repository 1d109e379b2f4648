/**
 * The anchor of a heading, by GitHub's rule: `Rate limits` has `rate-limits`, `rate_limit_exceeded` keeps its name. The site
 * has the same ones, so that a link works in both. Takes the heading's text, with or without its marks.
 */
export function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\s-]/gu, '')
    .replaceAll(' ', '-')
}
