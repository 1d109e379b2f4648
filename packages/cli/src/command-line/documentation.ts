/** Where the documentation of a command is, in the repository. */
export function documentationOf(command?: string): string {
  const [first] = command?.split(' ') ?? []
  return first === undefined ? 'docs/command-line.md' : `docs/command-line.md#sluice-${first}`
}
