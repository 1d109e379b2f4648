import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Runtime } from '../subject.ts'
import { installLiteLlm, liteLlmConfig, liteLlmEnvironment, liteLlmVersion } from './litellm.ts'
import { installPortkey } from './portkey.ts'

/** How a gateway is started as a process of its own. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** What it wants to be asked with. */
  readonly headers?: Readonly<Record<string, string>>
  /** Answers 200 once it serves. */
  readonly health: string
}

/** A gateway that others use, or Sluice as they are: a process with keys, limits and a log. */
export interface PeerGateway {
  readonly name: string
  /** What is on; each lacks something. */
  readonly features: string
  /** Whether its engine makes its code faster as it runs. */
  readonly hasJit: boolean
  launch(upstream: string, port: number, runtime: Runtime): Launch
}

const root = fileURLToPath(new URL('../..', import.meta.url))

export const peerGateways: readonly PeerGateway[] = [
  {
    name: 'Sluice, `sluice serve`',
    features: 'key, limits in memory, log lines',
    hasJit: true,
    launch: (upstream, port, { node }) => ({
      command: node,
      args: [join(root, 'packages/cli/dist/bin.js'), 'serve', '--config', sluiceConfig(upstream, port)],
      health: '/v1/models',
    }),
  },
  {
    name: 'Portkey gateway 1.15.2',
    features: 'no keys and no limits of its own',
    hasJit: true,
    launch: (upstream, port, { node }) => ({
      command: node,
      args: [join(root, 'bench/peers/portkey-process.mjs'), installPortkey(), `${port}`],
      headers: { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstream}/v1` },
      health: '/',
    }),
  },
  {
    name: `LiteLLM proxy ${liteLlmVersion}`,
    features: 'key, limits in memory, log lines',
    hasJit: false,
    launch: (upstream, port) => ({
      command: installLiteLlm(),
      args: [
        ...['--config', liteLlmConfig(upstream), '--host', '127.0.0.1', '--port', `${port}`],
        ...['--num_workers', '1'],
      ],
      env: liteLlmEnvironment,
      health: '/health/liveliness',
    }),
  },
]

function sluiceConfig(upstream: string, port: number): string {
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-bench-')), 'sluice.config.json')
  const config = {
    server: { port },
    providers: { openai: { apiKey: 'sk-upstream', baseURL: `${upstream}/v1` } },
    models: { 'gpt-4o': 'openai/gpt-4o-2024-08-06' },
    prices: { 'openai/gpt-4o-2024-08-06': { input: 2.5, output: 10 } },
    keys: [
      {
        id: 'ann',
        key: 'sk-ann',
        limits: [
          { kind: 'requests', limit: 60_000_000, per: 'minute' },
          { kind: 'tokens', limit: 1_000_000_000, per: 'minute' },
          { kind: 'concurrent', limit: 10_000 },
        ],
      },
    ],
  }
  writeFileSync(file, JSON.stringify(config))
  return file
}
