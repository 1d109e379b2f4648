import type { Finding } from './finding.ts'

const colours = { ok: 32, warning: 33, error: 31 } as const

/** The findings for people: one line each, with its fix below. */
export function doctorText(findings: readonly Finding[], coloured: boolean): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ check, status, message, fix }) => {
    const label = status.padEnd(7)
    const shown = coloured ? `\u001B[${colours[status]}m${label}\u001B[39m` : label
    return [
      `${shown}  ${check.padEnd(width)}  ${message}`,
      ...(fix === undefined ? [] : [`${' '.repeat(11 + width)}Fix: ${fix}`]),
    ]
  })
  const count = (status: Finding['status']) => findings.filter(finding => finding.status === status).length
  const total = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`
  return [
    ...lines,
    '',
    `${total(findings.length, 'check')}: ${total(count('error'), 'error')}, ${total(count('warning'), 'warning')}.`,
  ].join('\n')
}
