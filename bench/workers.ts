import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { drive } from './drive.ts'
import { asAnn, path, small } from './questions.ts'
import { startUpstream } from './upstream.ts'

// Requests per CPU-second of two workers, the primary's CPU included, against those of one process; and the same with limits,
// which the primary then counts. Both run all the time, and are driven in turns. Run it with
//   npx -y pnpm bench:workers
// NODE is the binary to measure, ROUNDS and SECONDS how long.

const node = process.env.NODE ?? process.execPath
const rounds = Number(process.env.ROUNDS ?? 6)
const seconds = Number(process.env.SECONDS ?? 2)
const connections = Number(process.env.CONNECTIONS ?? 64)
const warmUpSeconds = 4
/** Clock ticks per second in /proc, on every Linux that Node runs on. */
const ticks = 100

interface Subject {
  readonly workers: number
  readonly child: ChildProcess
  readonly url: string
  /** Requests per CPU-second, of each round. */
  readonly rates: number[]
}

/** CPU seconds of a process and its children so far. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const own = (Number(fields[11]) + Number(fields[12])) / ticks
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  const pids = children === '' ? [] : children.split(' ').map(Number)
  return pids.reduce((sum, each) => sum + cpuSeconds(each), own)
}

async function start(program: string, upstream: string, workers: number, limits: boolean): Promise<Subject> {
  const child = spawn(node, [program], {
    env: { ...process.env, UPSTREAM: upstream, WORKERS: String(workers), LIMITS: limits ? '1' : '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout!, 'data')
  return { workers, child, url: String(line).trim(), rates: [] }
}

async function measure({ child, url }: Subject, forSeconds: number): Promise<number> {
  const before = cpuSeconds(child.pid!)
  const { requests } = await drive({
    port: Number(new URL(url).port),
    path,
    headers: asAnn,
    body: small,
    connections,
    seconds: forSeconds,
  })
  return requests / (cpuSeconds(child.pid!) - before)
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const rangeOf = (values: readonly number[]) =>
  `${Math.min(...values).toFixed(2)}-${Math.max(...values).toFixed(2)}`

const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-workers-'))
const program = join(folder, 'service.mjs')
await build({
  entryPoints: [join(import.meta.dirname, 'workers/service.ts')],
  outfile: program,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  conditions: ['@sluice/source'],
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
  },
})
const upstream = await startUpstream()
try {
  for (const [limits, goal] of [
    [false, 0.92],
    [true, 0.75],
  ] as const) {
    const one = await start(program, upstream.url, 1, limits)
    const two = await start(program, upstream.url, 2, limits)
    for (const subject of [one, two]) await measure(subject, warmUpSeconds)
    const ratios: number[] = []
    for (let round = 0; round < rounds; round++) {
      for (const subject of round % 2 === 0 ? [one, two] : [two, one]) {
        subject.rates.push(await measure(subject, seconds))
      }
      ratios.push(two.rates.at(-1)! / one.rates.at(-1)!)
    }
    const ratio = median(ratios)
    console.log(
      `${limits ? 'with limits   ' : 'without limits'}  requests per CPU-second: one process ${median(one.rates).toFixed(0)}, ` +
        `two workers ${median(two.rates).toFixed(0)}; ratio ${ratio.toFixed(3)} (${rangeOf(ratios)} of ${rounds} rounds), ` +
        `goal ${goal} ${ratio >= goal ? 'met' : 'NOT MET'}`,
    )
    for (const { child } of [one, two]) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  }
} finally {
  await upstream.stop()
  rmSync(folder, { recursive: true, force: true })
}
