import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiKeys, createGateway, models } from '@sluice/core'
import { serve } from '@sluice/node'
import { local } from '@sluice/providers'
import { expect, onTestFinished } from 'vitest'
import { importCommand } from '../../packages/cli/src/commands/import.ts'
import { describePage } from './runner/describe-page.ts'
import { fencesOf } from './runner/markdown.ts'

const page = 'docs/coming-from.md'
const block = (name: string) => fencesOf(page).find(fence => fence.name === name)!.code

describePage(page, {
  client: async ({ run }) => {
    const gateway = createGateway({
      authenticate: apiKeys([{ id: 'me', key: 'sk-mine' }]),
      route: models({ 'gpt-4o': local()('gpt-4o') }),
    })
    const serving = await serve(gateway, { port: 0, signals: false })
    onTestFinished(() => serving.close())
    const { printed } = await run({ SLUICE_URL: `${serving.url}/v1`, SLUICE_API_KEY: 'sk-mine' })
    expect(printed).toEqual(['12 * 7 = 84'])
  },

  import: async ({ code }) => {
    const cwd = mkdtempSync(join(tmpdir(), 'sluice-coming-from-'))
    onTestFinished(() => rmSync(cwd, { recursive: true }))
    writeFileSync(join(cwd, 'config.yaml'), block('litellm'))
    const [npx, sluice, name, source, file, option, output, ...more] = code.trim().split(' ')
    expect([npx, sluice, name, option, more]).toEqual(['npx', 'sluice', importCommand.name, '--output', []])
    const told: string[] = []
    const ended = await importCommand.run({ output: output! }, [source!, file!], {
      cwd,
      env: {},
      print: () => {},
      log: text => told.push(text),
      platform: 'linux',
      terminal: false,
      colours: false,
      signal: new AbortController().signal,
      now: Date.now,
      openUrl: async () => {},
      onLine: undefined,
      networkAddresses: () => [],
    })
    expect(ended).toBe(3)
    expect(readFileSync(join(cwd, output!), 'utf8')).toBe(block('imported'))
    expect(told.join('\n')).toContain('model_list[1].litellm_params.tags')
    expect(told.join('\n')).toContain('OPENAI_API_KEY, from model_list[1].litellm_params.api_key')
    expect(told.join('\n')).not.toContain('sk-written-here')
  },
})
