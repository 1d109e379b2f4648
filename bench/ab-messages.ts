import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { shareCores } from './cores.ts'
import { drive } from './drive.ts'
import { median, quantile } from './figures.ts'
import { nodeOf } from './node-of.ts'
import { usual } from './plan.ts'
import { stop } from './processes.ts'
import { asAnn, largeMessages, messagesPath } from './questions.ts'
import { type Runtime, Subject } from './subject.ts'
import { startNodeUpstream } from './upstream.ts'
const node = nodeOf('24')
const runtime: Runtime = { node: node.path, pinned: shareCores().server, sources: false }
const speaking = await startNodeUpstream('messages-process.mjs', '199')
const subjects = await Promise.all([Subject.start('bare-buffered', speaking.url, runtime), Subject.start('sluice-node', speaking.url, runtime), Subject.start('sluice-node', speaking.url, { ...runtime, checkout: process.argv[2]! })])
const micros = async (s: Subject, seconds: number, atLeast = 0) => { const { cpuMicros, done } = await s.during(() => drive({ port: s.port, path: messagesPath, headers: asAnn, body: largeMessages, connections: 2, seconds, atLeast })); return cpuMicros / done.requests }
const program = fileURLToPath(new URL('./json-process.mjs', import.meta.url))
const [command = '', ...args] = [...runtime.pinned, node.path, program, '1', 'parse']
for (const s of subjects) await micros(s, 0, usual.warmUp.large)
const rows: number[][] = []
for (let r = 0; r < Number(process.argv[3] ?? 7); r++) {
  const p = Number(spawnSync(command, args, { input: largeMessages, encoding: 'utf8' }).stdout)
  const m = [0, 0, 0]
  for (const t of r % 2 ? [0, 1, 2] : [2, 1, 0]) m[t] = await micros(subjects[t]!, 1)
  rows.push([p, ...m])
  console.log([p, ...m].map(x => x.toFixed(0)).join(' '), 'here', (m[1]! / (p + m[0]!)).toFixed(2), 'there', (m[2]! / (p + m[0]!)).toFixed(2))
}
const q = (f: (r: number[]) => number) => [0.25, 0.5, 0.75].map(x => quantile(rows.map(f), x).toFixed(2)).join(' ')
console.log('here/least', q(r => r[2]! / (r[0]! + r[1]!)), '| there/least', q(r => r[3]! / (r[0]! + r[1]!)), '| here/there', q(r => r[2]! / r[3]!), median([1]))
await Promise.all(subjects.map(s => s.stop())); await stop(speaking.child)
