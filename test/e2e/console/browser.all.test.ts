import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startReceiver } from '../../../packages/alerts/src/webhook-receiver.ts'
import { inMemoryBodyLog } from '../../../packages/log/src/in-memory-body-log.ts'
import { askInChat } from './site/ask-in-chat.ts'
import { chatAs } from './site/chat-as.ts'
import { startChromium } from './site/chromium.ts'
import { type ConsoleTab, consoleTab } from './site/console-tab.ts'
import { describeWithChromium } from './site/describe-with-chromium.ts'
import { goTo } from './site/go-to.ts'
import { openBreaker } from './site/open-breaker.ts'
import { type ConsoleService, callerKey, startService } from './site/service.ts'
import type { Site, ViewTests } from './site/views.ts'
import { alertsTests } from './views/alerts.ts'
import { bodiesTests } from './views/bodies.ts'
import { chatTests } from './views/chat.ts'
import { chatContentTests } from './views/chat-content.ts'
import { hooksTests } from './views/hooks.ts'
import { keysTests } from './views/keys.ts'
import { layoutTests } from './views/layout.ts'
import { logTests } from './views/log.ts'
import { namesTests } from './views/names.ts'
import { requestsTests } from './views/requests.ts'
import { routesTests } from './views/routes.ts'
import { shortcutsTests } from './views/shortcuts.ts'
import { signInTests } from './views/sign-in.ts'
import { usageTests } from './views/usage.ts'

const views: Readonly<Record<string, ViewTests>> = {
  'the sign-in': signInTests,
  'the requests': requestsTests,
  'the log': logTests,
  'the usage': usageTests,
  'the keys': keysTests,
  'the names': namesTests,
  'the routes': routesTests,
  'bodies and replay': bodiesTests,
  'the hooks': hooksTests,
  'the alerts': alertsTests,
  'the shortcuts': shortcutsTests,
  'the layout': layoutTests,
}

describeWithChromium('the console in a browser', () => {
  let browser: Browser
  let service: ConsoleService
  let tab: ConsoleTab
  beforeAll(async () => {
    ;[browser, service] = await Promise.all([startChromium(), startService({ basePath: '/llm' })])
    // The chat of the page asks below `base`, whatever it is.
    tab = await consoleTab(browser, service)
  })
  afterEach(() => {
    expect(tab.problems()).toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })

  const site = (): Site => ({ service, open: tab.open })
  for (const [name, tests] of Object.entries(views)) describe(name, () => tests(site))
  const chatSite = (): Site => ({
    ...site(),
    // The page opens with the overview.
    open: async opening => {
      const page = await tab.open(opening)
      await goTo(page, 'Chat')
      return page
    },
  })
  describe('the chat', () => chatTests(chatSite))
  describe('what is in a chat', () => chatContentTests(chatSite))

  it('says that the limit of the console itself is reached, and takes a caller’s key', async () => {
    const limits = [{ kind: 'requests', limit: 1, per: 'hour' }] as const
    const own = await startService({ chat: { limits } })
    const page = await browser.newPage()
    page.setDefaultTimeout(15_000)
    await page.goto(own.page)
    await (await askInChat(page, 'demo', 'What is 2 + 2?')).getByText('2 + 2 = 4').waitFor()
    const refused = await askInChat(page, 'demo', 'And 3 + 3?')
    await refused.getByText('Rate limit reached (429)').waitFor()
    await refused.getByText(/Limit 1, Used 1/).waitFor()
    await chatAs(page, callerKey)
    await (await askInChat(page, 'demo', 'What is 4 + 4?')).getByText('4 + 4 = 8').waitFor()
    await page.close()
    await own.close()
  })

  it('asks for a caller’s key where the console sends nothing itself, replays nothing, and says that no key decrypts', async () => {
    const stored = inMemoryBodyLog()
    const own = await startService({ bodies: { repository: stored }, chat: false })
    const page = await browser.newPage()
    page.setDefaultTimeout(15_000)
    const id = (await own.ask('demo')).headers.get('x-request-id')!
    await own.flushLog()
    await page.goto(own.page)
    await goTo(page, 'Chat')
    await page.getByText('This console has no key of its own for chats.').waitFor()
    await page.getByLabel('API key of a caller').fill(callerKey)
    await (await askInChat(page, 'demo', 'What is 2 + 2?')).getByText('2 + 2 = 4').waitFor()
    await page.goto(`${own.url}/console/#/log/${id}`)
    await page.getByText('It cannot be replayed here').waitFor()
    expect(await page.getByRole('button', { name: 'Replay' }).count()).toBe(0)
    for (const [key, row] of stored.rows) stored.rows.set(key, { ...row, principal: 'another' })
    await page.reload()
    await page
      .getByRole('alert')
      .getByText(/The bodies cannot be decrypted/)
      .waitFor()
    expect(await page.locator('.body').count()).toBe(0)
    await page.close()
    await own.close()
  })

  it('says that bodies have expired', async () => {
    let now = Date.now()
    const own = await startService({ bodies: { retentionMs: 60_000 }, now: () => now })
    now -= 120_000
    const id = (await own.ask('unpriced')).headers.get('x-request-id')!
    const page = await browser.newPage()
    page.setDefaultTimeout(15_000)
    await page.goto(own.page)
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.goto(`${own.url}/console/#/requests/${id}`)
    await page.getByText('They have expired: bodies are stored for 60 seconds.').waitFor()
    await page.close()
    await own.close()
  })

  it('shows alerts as they come, and that they are delivered', async () => {
    const receiver = await startReceiver()
    const own = await startService({ webhooks: [{ url: receiver.url, allowPrivate: true }] })
    const page = await browser.newPage()
    page.setDefaultTimeout(15_000)
    await page.clock.install()
    await page.goto(own.page)
    await goTo(page, 'Alerts')
    await page.getByText('No alerts yet').waitFor()
    await openBreaker(own)
    await expect.poll(() => receiver.received.length).toBe(1)
    await page.clock.fastForward(5_000)
    await page.locator('.alert').getByText('Delivered').waitFor()
    expect(receiver.received).toHaveLength(1)
    await page.close()
    await own.close()
    await receiver.close()
  })

  it('finds a service that is started again, and shows what that one knows', async () => {
    const first = await startService()
    const page = await browser.newPage()
    page.setDefaultTimeout(15_000)
    await first.ask('demo')
    await page.goto(first.page)
    await goTo(page, 'Requests')
    await page.getByText('Completed').last().waitFor()
    await first.close()
    await page.locator('.connection', { hasText: 'Disconnected' }).waitFor()
    const second = await startService({ port: Number(new URL(first.url).port) })
    await page.locator('.connection', { hasText: 'Live' }).waitFor()
    await page.getByText('No requests yet').waitFor()
    await second.ask('broken')
    await page.getByText('Upstream failed').last().waitFor()
    await page.close()
    await second.close()
  })
})
