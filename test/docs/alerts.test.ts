import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Alerts } from '@sluice/alerts'
import type { Gateway } from '@sluice/core'
import { loadConfig } from 'sluice'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startReceiver } from '../../packages/alerts/src/webhook-receiver.ts'
import { ask } from './runner/ask.ts'
import { describePage } from './runner/describe-page.ts'
import { fencesOf } from './runner/markdown.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

const page = 'docs/alerts.md'
const secret = 'a-secret-of-the-page'

/** An alert as the gateway of the page posts it. */
async function posted(
  run: (env: Readonly<Record<string, string>>) => Promise<{ exports: Record<string, unknown> }>,
) {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const { exports } = await run({ ALERTS_URL: receiver.url, ALERTS_SECRET: secret })
  const { alerts, gateway } = exports as unknown as { alerts: Alerts; gateway: Gateway }
  // Each reserves less than it needs for a refusal, and costs some cents.
  for (let left = 400; left > 0 && receiver.received.length === 0; left--) {
    await ask('http://sluice.test/v1', { fetch: gateway.fetch, key: 'sk-ann', model: 'small' })
    await alerts.flush()
  }
  await gateway.close()
  await alerts.close()
  return receiver.received[0]!
}

describePage(page, {
  alerts: async ({ run }) => {
    const { body, headers } = await posted(run)
    const documented = JSON.parse(fencesOf(page).find(({ language }) => language === 'json')!.code)
    expect(Object.keys(JSON.parse(body))).toEqual(Object.keys(documented))
    expect(JSON.parse(body)).toMatchObject({ subject: { 'tag:team': 'search' }, limit: 10 })
    expect(headers['x-sluice-signature']).toMatch(/^v1=[0-9a-f]{64}$/)
  },

  recent: async ({ run }, others) => {
    const url = 'http://127.0.0.1:9/s3cret'
    const { exports } = await others('alerts').run({ ALERTS_URL: url, ALERTS_SECRET: secret }, code =>
      code.replace('allowPrivate: true', 'allowPrivate: false'),
    )
    const { alerts, gateway } = exports as unknown as { alerts: Alerts; gateway: Gateway }
    const undelivered = (await run()).exports.undelivered as (alerts: Alerts) => readonly string[]
    expect(undelivered(alerts)).toEqual([])
    for (let left = 400; left > 0 && undelivered(alerts).length === 0; left--) {
      await ask('http://sluice.test/v1', { fetch: gateway.fetch, key: 'sk-ann', model: 'small' })
      await alerts.flush()
    }
    expect(undelivered(alerts)[0]).toMatch(/budget of tag:team search .* The webhook has a private address\./)
    await gateway.close()
    await alerts.close()
  },

  verify: async ({ run }, others) => {
    const { body, headers } = await posted(others('alerts').run)
    const { isFromSluice } = (await run()).exports as {
      isFromSluice(headers: Headers, body: string, secret: string): boolean
    }
    const given = new Headers(headers as Record<string, string>)
    expect(isFromSluice(given, body, secret)).toBe(true)
    expect(isFromSluice(given, `${body} `, secret)).toBe(false)
    expect(isFromSluice(given, body, 'another')).toBe(false)
    given.set('x-sluice-timestamp', '1')
    expect(isFromSluice(given, body, secret)).toBe(false)
  },
})

describe('the configuration of the page', () => {
  it('is valid', async () => {
    const { code } = fencesOf(page).find(({ language }) => language === 'yaml')!
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'sluice.config.yaml'), code)
    const env = { CALLER_KEY: 'sk-a', ALERTS_URL: 'https://hooks.test/x', ALERTS_SECRET: secret }
    const { config } = await loadConfig(undefined, { cwd, env })
    expect(config.alerts?.budgets).toEqual({ thresholds: [0.8, 1] })
  })
})
