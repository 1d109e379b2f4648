import { describe, expect, it, vi } from 'vitest'
import { fakeCommandContext } from '../fake-command-context.ts'
import { main } from '../main.ts'
import { temporaryFolder } from '../temporary-folder.ts'

// This repository has the packages installed.
vi.mock('../service/project-module.ts', () => ({
  projectModule: async () => undefined,
  resolvedFrom: () => undefined,
}))

const config = {
  server: { port: 0 },
  providers: { local: {} },
  models: { demo: 'local/demo' },
  keys: [{ id: 'ann', key: 'sk-ann' }],
}

async function run(more: object, ...argv: string[]) {
  const cwd = temporaryFolder({ 'sluice.config.json': JSON.stringify({ ...config, ...more }) })
  const { context, printed, logged } = fakeCommandContext({ cwd })
  return { code: await main(argv, context), printed: printed(), logged: logged() }
}

describe('a configuration whose packages are not installed', () => {
  it.each([
    [{ prices: 'genai-prices' }, /^prices: 'genai-prices' needs the package @pydantic\/genai-prices/],
    [
      { telemetry: { openTelemetry: true } },
      /^telemetry\.openTelemetry needs packages that are not installed/,
    ],
  ])('is refused by check as by serve: %j', async (more, message) => {
    const refused = { code: 1, printed: '', logged: expect.stringMatching(message) }
    expect(await run(more, 'serve')).toEqual(refused)
    expect(await run(more, 'check')).toEqual(refused)
    const json = await run(more, 'check', '--json')
    expect([json.code, JSON.parse(json.printed)]).toMatchObject([
      1,
      { ok: false, issues: [{ problem: expect.stringMatching(message) }] },
    ])
  })

  it('is valid where it needs none of them', async () => {
    expect(await run({}, 'check')).toMatchObject({ code: 0, logged: '' })
  })
})
