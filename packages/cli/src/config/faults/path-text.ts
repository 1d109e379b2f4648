export type Path = readonly (string | number)[]

/** A path as people write it: `models.smart[1]`, `models['gpt-4.1']`. */
export function pathText(path: Path): string {
  if (path.length === 0) return 'the configuration'
  return path.map((step, at) => stepText(step, at === 0)).join('')
}

const longestName = 80

function stepText(step: string | number, isFirst: boolean): string {
  if (typeof step === 'number') return `[${step}]`
  const name = step.length > longestName ? `${step.slice(0, longestName)}...` : step
  if (/^[A-Za-z_$][\w$-]*$/.test(name)) return isFirst ? name : `.${name}`
  return `[${quoted(name)}]`
}

/** A text between quotes, in one line. */
export function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner}'`
}
