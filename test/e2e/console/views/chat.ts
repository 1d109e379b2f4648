import { chunks, sse, steps } from '@sluice/testing'
import { expect, it } from 'vitest'
import { askInChat } from '../site/ask-in-chat.ts'
import { chatAs } from '../site/chat-as.ts'
import { goTo } from '../site/go-to.ts'
import { adminKey, hostileModel } from '../site/service.ts'
import type { ViewTests } from '../site/views.ts'

export const chatTests: ViewTests = site => {
  it('streams an answer beside its request and each event of its response', async () => {
    const page = await site().open()
    const pieces = await page.evaluateHandle(() => {
      const seen = new Set<string | null>()
      const note = () => {
        if (document.querySelector('.conversation[aria-busy=true]') !== null)
          seen.add(document.querySelector('.turn.assistant .turn-text')?.textContent ?? null)
      }
      new MutationObserver(note).observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
      })
      return seen
    })
    const turn = await askInChat(page, 'slow', 'What is 12 * 7?')
    await turn.getByRole('link', { name: 'Request details' }).waitFor()
    expect(await pieces.evaluate(seen => seen.size)).toBeGreaterThan(2)
    expect(await turn.locator('.turn-text').textContent()).toContain('84')

    const wire = page.getByRole('region', { name: 'HTTP exchange' })
    const events = await wire.locator('.events li code').allTextContents()
    expect(events.at(-1)).toBe('data: [DONE]')
    const told = events.slice(0, -1).map(event => JSON.parse(event.slice('data: '.length)))
    const text = told.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
    expect(await turn.locator('.turn-text').textContent()).toBe(text)
    const { usage } = told.at(-1)
    await wire
      .getByText(`${usage.prompt_tokens} + ${usage.completion_tokens} = ${usage.total_tokens} tokens`)
      .waitFor()
    expect(await wire.locator('.status').textContent()).toBe('200')
    const id = await wire.getByRole('row', { name: 'x-request-id' }).getByRole('cell').textContent()

    await wire.getByRole('tab', { name: 'Response' }).press('ArrowRight')
    const sent = (await wire.locator('.raw').allTextContents()).join('\n')
    expect(sent).toContain('"model": "slow"')
    expect(sent).toContain(`authorization: Bearer …${adminKey.slice(-4)}`)
    expect(await page.content()).not.toContain(adminKey)

    await turn.getByRole('link', { name: 'Request details' }).click()
    await page.getByRole('region', { name: 'Request', exact: true }).getByText(id!).waitFor()
  })

  it('speaks Messages where it is chosen', async () => {
    const page = await site().open()
    await page.getByText('Options').click()
    await page.getByRole('combobox', { name: 'API', exact: true }).selectOption('Messages')
    await page.getByText('Options').click()
    const turn = await askInChat(page, 'demo', 'What is 6 * 7?')
    await turn.getByText('6 * 7 = 42').waitFor()
    await turn.getByRole('link', { name: 'Request details' }).waitFor()
    await turn.getByText(/^\$0\.0000/).waitFor()
    const wire = page.getByRole('region', { name: 'HTTP exchange' })
    const events = await wire.locator('.events li code').allTextContents()
    expect(events.at(0)).toMatch(/^event: message_start\n/)
    expect(events.at(-1)).toMatch(/^event: message_stop\n/)
    await wire.getByText(/^\d+ \+ \d+ = \d+ tokens$/).waitFor()
    await turn.getByRole('link', { name: 'Request details' }).click()
    await page
      .getByRole('region', { name: 'Request', exact: true })
      .getByText('messages', { exact: true })
      .first()
      .waitFor()
  })

  it('is stopped, and so is the upstream', async () => {
    const { east } = site().service
    east.respondWith([steps.stream(sse(chunks({ text: 'Hello world, and more' })).slice(0, 2)), steps.hang()])
    const page = await site().open()
    const asked = east.requests.length + 1
    const turn = await askInChat(page, 'stuck', 'Hello')
    await east.waitForRequest(asked)
    await page.getByRole('button', { name: 'Stop' }).click()
    await east.waitForClose(asked)
    await turn.getByText('Stopped.').waitFor()
    await goTo(page, 'Requests')
    await page.locator('tbody tr').first().getByText('Client disconnected').waitFor()
    east.respondWith(steps.hang())
  })

  it('tells why an answer failed, and stays signed in where the caller is refused', async () => {
    const page = await site().open()
    await page.getByText('Options').click()
    await page.getByLabel('API key of a caller').fill('sk-unknown')
    await page.getByLabel('System prompt').fill('Be brief.')
    await page.getByLabel('Temperature').fill('0.5')
    await page.getByLabel('Max tokens').fill('20')
    await page.getByText('Options').click()
    const turn = await askInChat(page, 'demo', 'Hello')
    await turn.locator('.notice').getByText('Invalid API key (401)').waitFor()
    const wire = page.getByRole('region', { name: 'HTTP exchange' })
    expect(await wire.locator('.status').textContent()).toBe('401')
    await wire.getByRole('tab', { name: 'Request' }).click()
    const [, body] = await wire.locator('.raw').allTextContents()
    expect(JSON.parse(body!)).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      temperature: 0.5,
      max_completion_tokens: 20,
    })
  })

  it('is answered as opened, as the console and not with the admin key as a caller', async () => {
    const page = await site().open()
    const turn = await askInChat(page, 'demo', 'What is 6 * 7?')
    await turn.getByText('6 * 7 = 42').waitFor()
    const { chat } = site().service
    const asCaller = await fetch(chat, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(asCaller.status).toBe(401)
    await turn.getByRole('link', { name: 'Request details' }).click()
    await page
      .getByRole('region', { name: 'Request', exact: true })
      .getByText('console', { exact: true })
      .waitFor()
  })

  it('says whose doing it was that an answer failed: the budget, the permission or the provider', async () => {
    const { keys } = site().service
    const { key } = await keys.issue({ name: 'Only demo', models: ['demo'] })
    const page = await site().open()
    const failed = async (model: string) => (await askInChat(page, model, 'Hello')).locator('.notice')
    const budget = await failed('counted')
    await budget.getByText('Budget exceeded (429)').waitFor()
    await budget.getByText(/your budget/).waitFor()
    await budget.getByText(/^Sent as the caller/).waitFor()
    const broken = await failed('broken')
    await broken.getByText(/^The provider failed \(50\d\)$/).waitFor()
    expect(await broken.getByText(/^Sent /).count()).toBe(0)
    await chatAs(page, key)
    const refused = await failed('counted')
    await refused.getByText('Not allowed (403)').waitFor()
    await refused.getByText(/^Sent with the caller/).waitFor()
  })

  it('shows what models and upstreams say as text, whatever it is', async () => {
    const text = '<img src=x onerror=alert(1)><script>alert(2)</script>'
    site().service.north.respondWith(steps.answer({ text }))
    const page = await site().open()
    const turn = await askInChat(page, 'unpriced', text)
    await turn.getByRole('link').waitFor()
    expect(await turn.locator('.turn-text').textContent()).toBe(text)
    await askInChat(page, hostileModel, 'Hello')
    await page.locator('.turn.assistant').nth(1).getByRole('link').waitFor()
    for (const view of ['Requests', 'Usage', 'Routes'] as const) {
      await goTo(page, view)
      await page.getByRole('table').getByText(hostileModel).first().waitFor()
    }
    expect(await page.locator('img, #app script').count()).toBe(0)
    site().service.north.respondWith(steps.answer())
  })
}
