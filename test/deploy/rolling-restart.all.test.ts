import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findClosedPort } from '@sluice/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../docs/runner/temporary-folder.ts'
import { sluice } from '../e2e/cli/sluice.ts'
import { nginxPath } from '../resilience/faults/harness/nginx.ts'
import { readDeploy } from './files.ts'
import {
  Clients,
  expectNothingLost,
  Processes,
  restartBehindNginx,
  startVendor,
  streams,
} from './rolling-restart.ts'

const caddy = (process.env.PATH ?? '')
  .split(delimiter)
  .map(folder => join(folder, 'caddy'))
  .find(existsSync)

describe('a rolling restart of two processes with open streams', () => {
  it.skipIf(nginxPath === undefined)(
    'behind nginx, by rolling-restart.sh: no stream is cut, no request fails',
    async () => {
      await restartBehindNginx(sluice)
    },
  )

  it.skipIf(caddy === undefined)(
    'behind Caddy, by its health checks: no stream is cut, no request fails',
    async () => {
      const processes = await Processes.start(sluice, await startVendor(), 5_000)
      const [first, second] = processes.ports
      const port = await findClosedPort()
      const file = join(temporaryFolder(), 'Caddyfile')
      const site = readDeploy('caddy/Caddyfile')
        .replace('gateway.example.com {', `http://127.0.0.1:${port} {\n\tbind 127.0.0.1`)
        .replace(':8787', `:${first}`)
        .replace(':8788', `:${second}`)
      writeFileSync(file, `{\n\tadmin off\n}\n${site}`)
      const child = spawn(caddy!, ['run', '--adapter', 'caddyfile', '--config', file], { stdio: 'ignore' })
      onTestFinished(() => void child.kill('SIGKILL'))
      await vi.waitFor(
        async () => expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(404),
        10_000,
      )

      const clients = new Clients(port)
      await vi.waitFor(() => expect(clients.exchanges.length).toBeGreaterThan(streams), 30_000)
      for (const each of processes.ports) {
        await processes.restart(each)
        // The next one still serves for longer than Caddy takes to notice that this one is back.
        await processes.isReady(each)
      }
      await clients.stop()
      expectNothingLost(clients, processes)
    },
  )
})
