/** A change that is not released yet: what `.changeset` has of it. */
export interface Change {
  readonly packages: readonly string[]
  readonly text: string
}

/** Reads a file of `.changeset`. Throws if it has no list of packages at its head. */
export function parseChange(file: string): Change {
  const [, head = '', text = ''] = /^---\n([\s\S]*?)---\n([\s\S]*)$/.exec(file) ?? []
  const packages = [...head.matchAll(/^['"]([^'"]+)['"]: /gm)].map(([, name]) => name!)
  if (packages.length === 0)
    throw new Error(`got ${JSON.stringify(file.slice(0, 40))}, expected a changeset with its packages`)
  return { packages, text: text.trim() }
}

/** The unreleased changes in Markdown: those of one package below its name, then those of several. */
export function unreleasedChanges(changes: readonly Change[]): string {
  const names = [
    ...new Set(changes.flatMap(({ packages }) => (packages.length === 1 ? packages : []))),
  ].sort()
  const item = (text: string) => `- ${text.replaceAll(/\n+/g, ' ')}`
  const several = changes
    .filter(({ packages }) => packages.length > 1)
    .map(({ packages, text }) => `${item(text)} (${packages.map(name => `\`${name}\``).join(', ')})`)
  const sections = [
    ...names.map(name => {
      const own = changes.filter(({ packages }) => packages.length === 1 && packages[0] === name)
      return `### ${name}\n\n${own.map(({ text }) => item(text)).join('\n')}`
    }),
    ...(several.length === 0 ? [] : [`### Several packages\n\n${several.join('\n')}`]),
  ]
  return ['## Unreleased', ...(sections.length === 0 ? ['Nothing.'] : sections)].join('\n\n')
}
