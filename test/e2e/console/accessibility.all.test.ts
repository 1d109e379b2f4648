import { steps } from '@sluice/testing'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askInChat } from './site/ask-in-chat.ts'
import { startChromium } from './site/chromium.ts'
import { type ConsoleTab, consoleTab } from './site/console-tab.ts'
import { describeWithChromium } from './site/describe-with-chromium.ts'
import { goTo } from './site/go-to.ts'
import { openBreaker } from './site/open-breaker.ts'
import { type ConsoleService, callerKey, startService } from './site/service.ts'

const widths = [1440, 1024, 390] as const
const colourSchemes = ['light', 'dark'] as const

/** What axe-core calls critical or serious, by rule and element. */
async function violations(page: Page): Promise<readonly string[]> {
  // By the debugger's way in: the page's policy lets no other script in.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { run } = (globalThis as unknown as { axe: typeof axe }).axe
    // Without the elements that pass: they are most of the page.
    const { violations } = await run(document, { resultTypes: ['violations'] })
    return violations
      .filter(({ impact }) => impact === 'critical' || impact === 'serious')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 160)}\n${failureSummary}`),
      )
  })
}

describeWithChromium('the console for everybody who reads it', () => {
  let browser: Browser
  let service: ConsoleService
  let tab: ConsoleTab
  let panel: string
  beforeAll(async () => {
    ;[browser, service] = await Promise.all([startChromium(), startService()])
    tab = await consoleTab(browser, service)
    const { ask, keys } = service
    const issued = await keys.issue({ name: 'Search', tags: { team: 'search' }, models: ['small-*', 'demo'] })
    const budget = [{ kind: 'budget', limit: 20, per: 'day', currency: 'usd', unpriced: 'allow' }] as const
    const spender = await keys.issue({ name: 'Spender', limits: budget })
    await ask('counted', { key: spender.key })
    const old = await keys.issue({ name: 'Old', limits: [{ kind: 'requests', limit: 5, per: 'minute' }] })
    await keys.rotate(old.stored.id, { overlapMs: 60_000 })
    const gone = await keys.issue({ name: 'Disabled' })
    await keys.update(gone.stored.id, { disabled: true })
    for (const key of [callerKey, issued.key]) await ask('demo', { key, stream: true })
    await ask('demo', { key: 'sk-unknown' })
    await openBreaker(service)
    await ask('large-chat', { stream: true })
    for (let left = 4; left > 0; left--) await ask('small-chat')
    panel = (await ask('small-chat')).headers.get('x-request-id')!
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })

  /** Everything that can be looked at, by what one has to do to see it. */
  const views: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    'the sign-in': async page => {
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('Admin key').waitFor()
    },
    'the overview of an hour': async page => {
      await goTo(page, 'Overview')
      await page.locator('.failure').first().waitFor()
      await page.locator('.budget').first().waitFor()
    },
    'the overview of days': async page => {
      await page.goto(`${service.url}/console/#/overview?window=30d`)
      await page.getByText(/from the ledger/).waitFor()
      await page.locator('.overview-charts').waitFor()
    },
    'the snippets of an empty view': async page => {
      await page.route('**/api/overview?*', async route => {
        const response = await route.fetch()
        const { usage, ...more } = await response.json()
        const none = { ...usage, requests: 0 }
        await route.fulfill({ response, json: { ...more, usage: none, since: more.from } })
      })
      await page.goto(`${service.url}/console/#/overview?window=15m`)
      await page.locator('.first-request').waitFor()
      await page.unroute('**/api/overview?*')
    },
    'the command palette': async page => {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('option').first().waitFor()
    },
    'the keyboard shortcuts': async page => {
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
    'the caller’s own start page': async page => {
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('API key').fill(callerKey)
      await page.getByRole('button', { name: 'Show usage' }).click()
      await page.locator('.ledger-totals').waitFor()
    },
    'the empty chat with its options': async page => {
      await goTo(page, 'Chat')
      await page.getByText('Options', { exact: true }).click()
    },
    'a chat that was answered, and refused': async page => {
      await (await askInChat(page, 'demo', 'What is 2 + 2?')).getByText('2 + 2 = 4').waitFor()
      const failed = await askInChat(page, 'counted', 'Hello')
      await failed.getByText('Budget exceeded (429)').waitFor()
    },
    'an answer in markdown with an image before it': async page => {
      await goTo(page, 'Chat')
      const text =
        '# Plan\n\n- [x] one\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```ts\nconst a = 1\n```\n\n> q\n\n![i](https://example.org/i.png)'
      service.north.respondWith(steps.answer({ text }))
      const buffer = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64')
      const image = { name: 'dot.gif', mimeType: 'image/gif', buffer }
      await page.getByLabel('Image files').setInputFiles(image)
      await (await askInChat(page, 'unpriced', 'Hello')).getByText('Plan').waitFor()
      await page.getByLabel('Image files').setInputFiles(image)
      service.north.respondWith(steps.answer())
    },
    'a tool call that waits for its result': async page => {
      service.north.respondWith(steps.answer({ toolCalls: [{ name: 'now', arguments: { zone: 'UTC' } }] }))
      await askInChat(page, 'unpriced', 'Hello')
      await page.getByLabel('Result of now').waitFor()
      service.north.respondWith(steps.answer())
    },
    'the form of a tool': async page => {
      await goTo(page, 'Chat')
      await page.getByRole('button', { name: 'Tools' }).click()
      await page.getByRole('button', { name: 'Add a tool' }).click()
      await page.getByLabel('Parameters (JSON Schema)').fill('{')
    },
    'two models beside each other': async page => {
      await goTo(page, 'Chat')
      await page.getByRole('button', { name: 'Compare' }).click()
      await page.getByLabel('the compared model').selectOption('broken')
      await page.getByLabel('Message', { exact: true }).fill('What is 2 + 2?')
      await page.keyboard.press('Enter')
      await page.getByText('2 + 2 = 4').waitFor()
      await page.locator('.turn-failure').waitFor()
    },
    'the requests': async page => {
      await goTo(page, 'Requests')
      await page.locator('tbody tr').first().waitFor()
    },
    'a request in full': async page => {
      await page.goto(`${service.url}/console/#/requests/${panel}`)
      await page.locator('.bar-row').first().waitFor()
      await page.locator('.body').first().waitFor()
    },
    'the request log': async page => {
      await service.flushLog()
      await goTo(page, 'Log')
      await page.locator('tbody tr').first().waitFor()
    },
    'a logged request in full': async page => {
      await service.flushLog()
      await page.goto(`${service.url}/console/#/log/${panel}`)
      await page.locator('.bar-row').first().waitFor()
      await page.locator('.body').first().waitFor()
    },
    'the confirmation of a replay': async page => {
      await page.goto(`${service.url}/console/#/log/${panel}`)
      await page.getByRole('button', { name: 'Replay', exact: true }).click()
      await page.getByRole('dialog').waitFor()
    },
    'a replay beside the stored response': async page => {
      await page.goto(`${service.url}/console/#/log/${panel}`)
      await page.getByRole('button', { name: 'Replay', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
      await page.locator('.comparison').waitFor()
    },
    'a replay that failed': async page => {
      await page.route('**/replay', route => route.abort())
      await page.goto(`${service.url}/console/#/log/${panel}`)
      await page.getByRole('button', { name: 'Replay', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
      await page.getByText('The replay failed').waitFor()
      await page.unroute('**/replay')
    },
    'the usage with a chart as a table': async page => {
      await goTo(page, 'Usage')
      await page.getByText('As a table').first().click()
      await page.locator('.ledger table').waitFor()
    },
    'the keys': async page => {
      await goTo(page, 'Keys')
      await page.locator('.key').first().waitFor()
    },
    'the form of a key': async page => {
      await goTo(page, 'Keys')
      await page.getByRole('button', { name: 'Create a key' }).click()
      await page.getByRole('button', { name: 'Add a limit' }).click()
    },
    'the alerts': async page => {
      await goTo(page, 'Alerts')
      await page.locator('.alert').first().waitFor()
    },
    'the routes and the hooks': async page => {
      // The trial call of a breaker that is open since a while.
      await service.ask('broken')
      await goTo(page, 'Routes')
      await page.locator('[data-state=open]').first().waitFor()
      await page.locator('[data-hook]').first().waitFor()
      await page.getByRole('button', { name: 'Test local / demo of demo' }).click()
      await page.getByRole('button', { name: 'Test south / broken of broken' }).click()
      await page.getByText('Test passed').waitFor()
      await page.getByText('Test failed').waitFor()
    },
  }

  it.each(Object.entries(views))(
    'has no serious fault in %s, wide or on a phone, light or dark',
    async (_, show) => {
      const page = await tab.open({ width: widths[0] })
      await page.getByRole('button', { name: 'Sign out' }).waitFor()
      await show(page)
      for (const width of widths) {
        await page.setViewportSize({ width, height: 850 })
        for (const colorScheme of colourSchemes) {
          await page.emulateMedia({ colorScheme })
          expect([width, colorScheme, ...(await violations(page))]).toEqual([width, colorScheme])
        }
      }
    },
  )
})
