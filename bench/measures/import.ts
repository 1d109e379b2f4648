import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { drive } from '../drive.ts'
import { figure, median } from '../figures.ts'
import type { Plan } from '../plan.ts'
import { asAnn, path, small } from '../questions.ts'
import type { Row } from '../row.ts'
import { type Runtime, Subject } from '../subject.ts'

const root = fileURLToPath(new URL('..', new URL('.', import.meta.url)))

/** What a process waits for that imports a package for the first time; the files are in the machine's cache. */
export async function measureImport({ runtime, upstream, imports }: Plan): Promise<Row[]> {
  const took = (...names: readonly string[]) =>
    median(Array.from({ length: imports }, () => importMillis(names, runtime)))
  const express = took('@sluice/express')
  return [
    {
      id: 'import',
      what: `import of \`@sluice/express\`, cold, median of ${imports}`,
      figure: figure(express, 'ms'),
      value: express,
      goal: '<= 120 ms',
      met: express <= 120,
    },
    {
      id: 'import',
      what: '- cold start with Express 5: from nothing to the first answer',
      figure: figure(await coldStart(upstream.url, runtime, imports), 'ms'),
    },
    {
      id: 'import',
      what: '- with `@sluice/core` and `@sluice/providers`, as a server imports it',
      figure: figure(took('@sluice/express', '@sluice/core', '@sluice/providers'), 'ms'),
    },
    { id: 'import', what: '- of `express` itself', figure: figure(took('express'), 'ms') },
  ]
}

async function coldStart(upstream: string, runtime: Runtime, times: number): Promise<number> {
  const millis: number[] = []
  while (millis.length < times) {
    const began = performance.now()
    const subject = await Subject.start('sluice-express', upstream, runtime)
    const load = { port: subject.port, path, headers: asAnn, body: small, connections: 1, seconds: 0 }
    await drive(load)
    millis.push(performance.now() - began)
    await subject.stop()
  }
  return median(millis)
}

function importMillis(names: readonly string[], runtime: Runtime): number {
  const imports = names.map(name => `await import('${name}')`).join('; ')
  const code = `const began = performance.now(); ${imports}; console.log(performance.now() - began)`
  const flags = runtime.sources ? ['--import', import.meta.resolve('tsx'), '--conditions=@sluice/source'] : []
  const [command = '', ...args] = [...runtime.pinned, runtime.node, ...flags]
  const { status, stdout, stderr } = spawnSync(command, [...args, '--input-type=module', '-e', code], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`import of ${names} ended with ${status}:\n${stderr}`)
  return Number(stdout)
}
