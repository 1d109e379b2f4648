/** One number of a page of metrics. */
interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A metric: its type, and its numbers. */
interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: readonly Sample[]
}

const name = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"'
// prom-client writes `Nan`, which Prometheus reads as it reads `NaN`.
const sample = new RegExp(`^(${name})(?:\\{(${label}(?:,${label})*)\\})? (\\+Inf|-Inf|Na[Nn]|[-+0-9.eE]+)$`)

/**
 * Reads a page of metrics (text format 0.0.4). Strict: throws for a line that is none, for numbers that do not stand
 * below the `HELP` and `TYPE` of their metric, for one that stands twice, and for a histogram that does not add up.
 */
export function readMetrics(page: string): readonly Family[] {
  if (!page.endsWith('\n')) throw new Error('The last line has no end.')
  const families: (Family & { samples: Sample[] })[] = []
  let help: RegExpExecArray | undefined
  for (const line of page.split('\n')) {
    if (line === '') continue
    const helps = new RegExp(`^# HELP (${name}) (.+)$`).exec(line)
    const types = new RegExp(`^# TYPE (${name}) (counter|gauge|histogram|summary)$`).exec(line)
    if (helps !== null) help = helps
    else if (types !== null) {
      if (help?.[1] !== types[1]) throw new Error(`No help for ${line}`)
      if (families.some(family => family.name === types[1])) throw new Error(`Twice: ${line}`)
      families.push({ name: types[1]!, type: types[2]!, help: help![2]!, samples: [] })
    } else families.at(-1)!.samples.push(sampleOf(line, families.at(-1)))
  }
  for (const family of families) {
    const series = family.samples.map(
      each => `${each.name} ${JSON.stringify(Object.entries(each.labels).sort())}`,
    )
    if (new Set(series).size !== series.length) throw new Error(`A series stands twice in ${family.name}`)
    if (family.type === 'histogram') checkHistogram(family)
    if (family.type === 'counter' && family.samples.some(({ value }) => !(value >= 0)))
      throw new Error(`${family.name} counts down`)
  }
  return families
}

function sampleOf(line: string, family: Family | undefined): Sample {
  const found = sample.exec(line)
  if (found === null || family === undefined) throw new Error(`No number: ${line}`)
  const suffixes = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
  if (!suffixes.some(suffix => found[1] === family.name + suffix)) throw new Error(`Out of place: ${line}`)
  const labels = [...(found[2] ?? '').matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g)].map(
    ([, key, text]) => [key!, text!.replaceAll(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped))],
  )
  return {
    name: found[1]!,
    labels: Object.fromEntries(labels),
    value: Number(found[3]!.replace('Inf', 'Infinity')),
  }
}

function checkHistogram({ name: family, samples }: Family): void {
  const counts = samples.filter(each => each.name === `${family}_count`)
  for (const count of counts) {
    const buckets = samples.filter(
      each =>
        each.name === `${family}_bucket` &&
        Object.entries(count.labels).every(([key, it]) => each.labels[key] === it),
    )
    const bounds = buckets.map(({ labels }) => Number(labels.le!.replace('Inf', 'Infinity')))
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY) throw new Error(`${family} has no last bucket`)
    const rises = buckets.every(
      ({ value }, at) => at === 0 || (value >= buckets[at - 1]!.value && bounds[at]! > bounds[at - 1]!),
    )
    if (!rises || buckets.at(-1)!.value !== count.value) throw new Error(`${family} does not add up`)
  }
}

/** The sum of a metric's numbers over all series that have these labels. */
export function total(
  families: readonly Family[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const all = families.flatMap(({ samples }) => samples).filter(each => each.name === name)
  const wanted = all.filter(each =>
    Object.entries(labels).every(([key, value]) => each.labels[key] === value),
  )
  return wanted.reduce((sum, { value }) => sum + value, 0)
}
