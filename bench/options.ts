import { parseArgs } from 'node:util'
import { type RowId, rowIds } from './row.ts'

export const usage = `Measures what Sluice costs, beside servers that do less. npx -y pnpm bench
  --peers         beside Portkey's gateway and LiteLLM's proxy too, which npm and pip install for it
  --runs N        how often all of it is measured, with new processes; 1, with --save 3
  --rounds N      how often each is driven in a run; 12
  --seconds S     for how long each time; 0.5
  --only ROW      one of ${rowIds.join(', ')}
  --busy          measures even while other programs use the machine
  --quick         shows that it runs; its figures are worth nothing
  --node VERSION  the Node that is measured, from the registry: 24; default: the one that runs this
  --json FILE     writes all figures to a file
  --save          writes them to bench/results, and docs/performance.md and its chart from all that is there
  --sources       measures the sources, and not what is built`

export interface Options {
  readonly peers: boolean
  readonly runs: number
  readonly rounds: number | undefined
  readonly seconds: number | undefined
  readonly only: RowId | undefined
  readonly busy: boolean
  readonly quick: boolean
  readonly node: string | undefined
  readonly json: string | undefined
  readonly save: boolean
  readonly sources: boolean
  readonly help: boolean
}

/** Throws `TypeError` with what is wrong. */
export function optionsOf(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: args.filter(argument => argument !== '--'),
    options: {
      peers: { type: 'boolean', default: false },
      runs: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string' },
      busy: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      node: { type: 'string' },
      json: { type: 'string' },
      save: { type: 'boolean', default: false },
      sources: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.save && (values.quick || values.busy || values.sources || values.only !== undefined)) {
    throw new TypeError(
      '--save keeps whole runs on what is built: without --quick, --busy, --sources, --only.',
    )
  }
  const runs = whole('runs', values.runs) ?? (values.save ? 3 : 1)
  if (values.save && runs < 3) throw new TypeError(`--save: got ${runs} runs, expected at least 3.`)
  return {
    ...values,
    // So short a measurement is disturbed by itself.
    busy: values.busy || values.quick,
    runs,
    rounds: whole('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    only: rowOf(values.only),
    node: values.node,
    json: values.json,
  }
}

function positive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!(value > 0)) throw new TypeError(`--${name}: got ${text}, expected a number above 0.`)
  return value
}

function whole(name: string, text: string | undefined): number | undefined {
  const value = positive(name, text)
  if (value !== undefined && !Number.isInteger(value))
    throw new TypeError(`--${name}: got ${text}, expected a whole number.`)
  return value
}

function rowOf(text: string | undefined): RowId | undefined {
  const known = rowIds.find(id => id === text)
  if (text !== undefined && known === undefined) {
    throw new TypeError(`--only: got ${text}, expected one of ${rowIds.join(', ')}.`)
  }
  return known
}
