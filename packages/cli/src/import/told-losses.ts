import type { Imported } from './imported.ts'

/** What a person has to know of an import, beside the configuration. */
export function toldLosses({ lost, notes, secrets }: Imported): string {
  return [
    ...section(
      'No equivalent',
      lost.map(({ path, why, mend }) => `${path}\n    ${why} ${mend}`),
    ),
    ...section('Otherwise than before', notes),
    ...section(
      'Secrets that stood in the file: set these variables',
      secrets.map(({ name, path }) => `${name}, from ${path}`),
    ),
  ].join('\n')
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map(line => `  ${line}`), '']
}
