import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig, type Service } from 'sluice'
import { describe, expect, it } from 'vitest'
import type { CommandContext } from '../../packages/cli/src/command.ts'
import { check } from '../../packages/cli/src/commands/check.ts'
import { fixedSettings } from '../../packages/cli/src/service/fixed-settings.ts'
import { ask } from './runner/ask.ts'
import { describePage } from './runner/describe-page.ts'
import { fencesOf } from './runner/markdown.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

const page = 'docs/configuration.md'
const root = join(import.meta.dirname, '../..')
const env = { OPENAI_API_KEY: 'sk-openai', ANTHROPIC_API_KEY: 'sk-anthropic', ANN_KEY: 'sk-ann' }

const fence = (wanted: string): string => {
  const found = fencesOf(page).find(({ name }) => name === wanted)
  if (found === undefined) throw new Error(`${page} has no snippet '${wanted}'`)
  return found.code
}

function fileOf(name: string, text: string): string {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, name), text)
  return cwd
}

describePage(page, {
  typed: async ({ code }) => {
    const given = process.env
    process.env = { ...given, ...env }
    try {
      const { config } = await loadConfig(undefined, { cwd: fileOf('sluice.config.ts', code), env })
      expect(Object.keys(config.models)).toEqual(['small', 'careful'])
      expect(config.keys).toEqual([{ id: 'ann', key: 'sk-ann' }])
    } finally {
      process.env = given
    }
  },

  embedded: async ({ run }) => {
    const config = {
      providers: { local: {} },
      models: { demo: 'local/demo' },
      keys: [{ id: 'me', key: 'sk-test' }],
    }
    const cwd = fileOf('sluice.config.json', JSON.stringify(config))
    const before = process.listeners('SIGTERM')
    const { exports, printed } = await run({ CONFIG_FOLDER: cwd })
    const service = exports.service as Service
    try {
      expect(printed[0]).toBe(service.baseURL)
      expect(await ask(service.baseURL)).toMatchObject({ status: 200 })
    } finally {
      for (const heard of process.listeners('SIGTERM'))
        if (!before.includes(heard)) process.off('SIGTERM', heard)
      await service.close()
    }
  },
})

it('names each setting that needs a restart', () => {
  const text = readFileSync(join(root, page), 'utf8')
  const [, named = ''] = /valid configuration stays[\s\S]*?\n\n([\s\S]*?) need a restart\./.exec(text) ?? []
  const settings = fixedSettings.map(path => path.join('.'))
  expect([...named.matchAll(/`([\w.]+)`/g)].map(([, name]) => name).sort()).toEqual(
    // The command compares it, not the service, which is one process.
    [...settings, 'server.workers'].sort(),
  )
})

describe('the configurations of the page', () => {
  it('serve: is valid', async () => {
    const { config } = await loadConfig(undefined, { cwd: fileOf('sluice.config.yaml', fence('serve')), env })
    expect(Object.keys(config.models)).toEqual(['small', 'large', 'chat', 'openai/*'])
  })

  it('bodies: is valid', async () => {
    const models = "models: { small: 'local/small' }\nproviders: { local: {} }\n"
    const cwd = fileOf('sluice.config.yaml', models + fence('bodies'))
    const key = Buffer.alloc(32, 1).toString('base64')
    const { config } = await loadConfig(undefined, { cwd, env: { SLUICE_LOG_KEY: key } })
    expect(config.log).toMatchObject({ bodies: { key, retentionDays: 7, models: ['small*'], keys: ['ann'] } })
  })

  it('hooks: is valid', async () => {
    const text = `models: { gpt-5: local/demo }\nproviders: { local: {} }\nkeys: [{ id: me, key: sk }]\n${fence('hooks')}`
    const { config } = await loadConfig(undefined, {
      cwd: fileOf('sluice.config.yaml', text),
      env: { WEBHOOK_SECRET: 'a-secret-of-the-tests' },
    })
    expect(config.hooks).toHaveLength(4)
  })

  it('faulty: is told of as the page says', async () => {
    const world = {
      cwd: fileOf('faulty.yaml', fence('faulty')),
      env: {},
      print: () => {},
    } as unknown as CommandContext
    const failure = await check.run({}, ['faulty.yaml'], world).catch((error: Error) => error.message)
    expect(failure).toBe(fence('faults').trimEnd())
  })
})
