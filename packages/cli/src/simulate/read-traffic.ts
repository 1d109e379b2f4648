import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { LoggedRequest } from '@sluice/core/store'
import type {
  ClientGroup,
  Crash,
  RecordedRequest,
  SimulationOptions,
  Traffic,
} from '@sluice/testing/simulation'
import { CommandError } from '../command.ts'
import { IssueList } from '../config/issues/issue-list.ts'
import { readSource } from '../config/load/read-source.ts'
import { ConfigLocation } from '../config/shape/shape.ts'
import { checkTraffic } from './check-traffic.ts'
import { estimatedTokensNote, type TokenRow, tokenCounts } from './token-means.ts'
import { type TrafficClients, type TrafficFile, trafficShape } from './traffic-shape.ts'

/** What a traffic file says. */
export interface SimulatedTraffic
  extends Pick<SimulationOptions, 'upstreams' | 'stores' | 'crashes' | 'skewMs'> {
  readonly traffic: Traffic
  readonly gateways: number | undefined
  /** What the simulation sends otherwise than the file says, in sentences. */
  readonly notes: readonly string[]
}

/** The text of a key that the simulation gives to a caller. */
export function simulatedKey(id: string): string {
  return `simulated-${encodeURIComponent(id)}`
}

/**
 * Reads traffic: a YAML or JSON file, or a request log as JSON lines, as `sluice logs --jsonl` exports it. Rejects with
 * `InvalidConfigError`, which lists all issues with their paths, or `CommandError` for what is neither.
 *
 * @param count the number of gateways, in place of that of the file
 */
export async function readTraffic(
  path: string,
  cwd: string,
  count: number | undefined,
): Promise<SimulatedTraffic> {
  const file = resolve(cwd, path)
  if (file.endsWith('.jsonl')) return recordedTraffic(file, path)
  const { value, positionOf } = await readSource(file, path)
  const issues = new IssueList({ name: path, references: new Map(), secrets: [], positionOf })
  const given = trafficShape.read(value, new ConfigLocation([], issues)) as TrafficFile
  issues.throwIfAny()
  checkTraffic(given, value, count ?? given.gateways ?? 1, issues)
  issues.throwIfAny()
  const { duration, gateways, clients, upstreams, stores, crashes, skew } = given
  return {
    traffic: { durationMs: duration, clients: clients.map(groupOf) },
    gateways,
    notes: [],
    ...(upstreams !== undefined && { upstreams }),
    ...(stores !== undefined && { stores }),
    ...(crashes !== undefined && { crashes: crashes.map(crashOf) }),
    ...(skew !== undefined && { skewMs: skew }),
  }
}

function crashOf({ gateway, at, down }: NonNullable<TrafficFile['crashes']>[number]): Crash {
  return { gateway, atMs: at, ...(down !== undefined && { downMs: down }) }
}

function groupOf({ from, to, keys, models, ...rest }: TrafficClients): ClientGroup {
  return {
    ...rest,
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
    keys: keys.map(key => {
      const { id, ...weight } = typeof key === 'string' ? { id: key } : key
      return { id, key: simulatedKey(id), ...weight }
    }),
    models: models.map(model => (typeof model === 'string' ? { model } : model)),
  }
}

/** The requests of a log for a generated answer, at their times, with their keys, models and tokens. */
async function recordedTraffic(file: string, path: string): Promise<SimulatedTraffic> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new CommandError(`sluice simulate: cannot read ${path} (--traffic).`)
  })
  const rows = text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [rowOf(line, `${path}, line ${index + 1}`)]))
    .filter(
      ({ operation, model, principal }) => operation === 'generate' && model !== null && principal !== null,
    )
    .sort((one, other) => one.at - other.at)
  const [first] = rows
  if (first === undefined) {
    throw new CommandError(`${path} has no requests for a generated answer with a key and a model.`)
  }
  const ids = [...new Set(rows.map(({ principal }) => principal!))]
  const tokensOf = tokenCounts(rows)
  const groups = (['chat', 'messages'] as const).flatMap((dialect): readonly ClientGroup[] => {
    const recorded = rows
      .filter(row => (row.dialect === 'messages' ? 'messages' : 'chat') === dialect)
      .map(
        (row): RecordedRequest => ({
          atMs: row.at - first.at,
          key: ids.indexOf(row.principal!),
          model: row.model!,
          ...tokensOf(row),
          stream: row.stream,
        }),
      )
    const keys = ids.map(id => ({ id, key: simulatedKey(id) }))
    const models = [...new Set(recorded.map(({ model }) => model))].map(model => ({ model }))
    return recorded.length === 0
      ? []
      : [{ name: `log of ${dialect}`, rate: 0, recorded, keys, models, dialect }]
  })
  const note = estimatedTokensNote(rows)
  return {
    traffic: { durationMs: rows.at(-1)!.at - first.at + 1, clients: groups },
    gateways: undefined,
    notes: note === undefined ? [] : [note],
  }
}

type Row = TokenRow & Pick<LoggedRequest, 'at' | 'operation' | 'dialect' | 'stream'>

function rowOf(line: string, name: string): Row {
  let row: Partial<Row> | null
  try {
    row = JSON.parse(line)
  } catch {
    throw new CommandError(`${name} is not valid JSON.`)
  }
  const isRow =
    typeof row?.at === 'number' && typeof row.operation === 'string' && typeof row.stream === 'boolean'
  if (isRow) return row as Row
  throw new CommandError(`${name} is no request of a log: expected what sluice logs --jsonl exports.`)
}
