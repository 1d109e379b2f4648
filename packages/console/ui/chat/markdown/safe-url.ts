const protocols: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])

/** Returns an absolute address that may be followed; `undefined` for a relative one, a script and any other protocol. */
export function safeUrl(href: string): string | undefined {
  const url = URL.canParse(href) ? new URL(href) : undefined
  return url !== undefined && protocols.has(url.protocol) ? url.href : undefined
}
