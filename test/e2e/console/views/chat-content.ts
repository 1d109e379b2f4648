import { steps } from '@sluice/testing'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { askInChat } from '../site/ask-in-chat.ts'
import { goTo } from '../site/go-to.ts'
import type { ViewTests } from '../site/views.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const apis = ['Chat completions', 'Responses', 'Messages'] as const

async function chooseApi(page: Page, api: (typeof apis)[number]): Promise<void> {
  await page.getByText('Options', { exact: true }).click()
  await page.getByRole('combobox', { name: 'API', exact: true }).selectOption(api)
  await page.getByText('Options', { exact: true }).click()
}

/** The body of the last request, as the page shows it. */
async function sentBody(page: Page) {
  const wire = page.getByRole('region', { name: 'HTTP exchange' })
  await wire.getByRole('tab', { name: 'Request' }).click()
  const [, body] = await wire.locator('.raw').allTextContents()
  return JSON.parse(body!)
}

export const chatContentTests: ViewTests = site => {
  it('reads answers as markdown, and copies a block of code', async () => {
    const { north } = site().service
    const text = [
      '# A title\n\nSome **bold** and `code`, a [link](https://example.org/a?b=1&c=2) &amp; more.',
      '- one\n- [x] two\n\n3. three',
      '| Name | Cost |\n|---|---:|\n| small | 0.15 |',
      "```ts\nconst a = '<b>'\n```",
    ].join('\n\n')
    north.respondWith(steps.answer({ text }))
    const page = await site().open()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const turn = await askInChat(page, 'unpriced', 'Hello')
    await turn.getByRole('heading', { name: 'A title' }).waitFor()
    expect(await turn.locator('strong').textContent()).toBe('bold')
    const link = turn.getByRole('link', { name: 'link' })
    expect(await link.getAttribute('href')).toBe('https://example.org/a?b=1&c=2')
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow')
    expect(await turn.locator('.markdown > p').textContent()).toContain(', a link & more.')
    expect(await turn.getByRole('cell', { name: '0.15' }).count()).toBe(1)
    expect(await turn.locator('ol').getAttribute('start')).toBe('3')
    await turn.getByRole('img', { name: 'Done' }).waitFor()
    await turn.getByRole('button', { name: 'Copy code' }).click()
    await turn.getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("const a = '<b>'")
    north.respondWith(steps.answer())
  })

  it('runs nothing and loads nothing that a hostile answer names', async () => {
    const { north } = site().service
    const text = [
      '<script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)></svg>',
      '<iframe src="javascript:alert(4)"></iframe><a href="javascript:alert(5)">click</a>',
      '[one](javascript:alert(6)) [two](JaVaScRiPt&colon;alert(7)) [three](data:text/html,<script>alert(8)</script>)',
      '[four](vbscript:x) [five](#/keys) [six](//evil.example/x) <javascript:alert(9)>',
      '![pixel](https://tracker.example/p.png?secret=1) ![](data:image/svg+xml,<svg/onload=alert(10)>)',
      '<style>body{display:none}</style><form action="https://evil.example"><input name=a></form>',
      '[seven]: javascript:alert(11)\n\n[seven]',
    ].join('\n\n')
    north.respondWith(steps.answer({ text }))
    const page = await site().open()
    const turn = await askInChat(page, 'unpriced', 'Hello')
    await turn.getByRole('link', { name: 'Request details' }).waitFor()
    const body = turn.locator('.turn-text')
    expect(
      await body.locator('script, img, svg, iframe, style, form, input, object, [onerror], [onload]').count(),
    ).toBe(0)
    // What is left is the address of the image, which a click opens in another tab.
    const links = await body
      .locator('a')
      .evaluateAll(all => all.map(link => (link as HTMLAnchorElement).href))
    expect(links).toEqual(['https://tracker.example/p.png?secret=1'])
    await body.getByText('Image: pixel (tracker.example)').waitFor()
    await body.getByText('<script>alert(1)</script>').waitFor()
    expect(await page.evaluate(() => getComputedStyle(document.body).display)).not.toBe('none')
    north.respondWith(steps.answer())
  })

  it.each([
    ['quotes without end', '> '.repeat(4_000)],
    ['signs without end', '!'.repeat(50_000)],
    ['lists without end', Array.from({ length: 300 }, (_, at) => `${' '.repeat(2 * at)}- a`).join('\n')],
  ])('stays quick and whole for %s', async (_, text) => {
    const { north } = site().service
    north.respondWith(steps.answer({ text }))
    const page = await site().open()
    const turn = await askInChat(page, 'unpriced', 'Hello')
    await turn.getByRole('link', { name: 'Request details' }).waitFor({ timeout: 5_000 })
    await askInChat(page, 'demo', 'What is 2 + 2?')
    await page.getByText('2 + 2 = 4').first().waitFor()
    north.respondWith(steps.answer())
  })

  it('sends images that are chosen or pasted, told by size, and refuses other files', async () => {
    const { north } = site().service
    const page = await site().open()
    await page.getByLabel('Image files').setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: png },
      { name: 'dot.gif', mimeType: 'image/gif', buffer: png },
    ])
    const list = page.getByRole('list', { name: 'Images of the message' })
    await list.getByText(`${png.length} bytes`).first().waitFor()
    await list.getByRole('button', { name: 'Remove dot.gif' }).click()
    await page.evaluate(
      ([data]) => {
        const bytes = Uint8Array.from(atob(data!), sign => sign.charCodeAt(0))
        const clipboardData = new DataTransfer()
        clipboardData.items.add(new File([bytes], 'pasted.png', { type: 'image/png' }))
        const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
        document.querySelector('#draft')!.dispatchEvent(event)
      },
      [png.toString('base64')],
    )
    await list.getByText('pasted.png').waitFor()
    expect(await list.getByRole('listitem').count()).toBe(2)
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['%PDF'], 'paper.pdf', { type: 'application/pdf' }))
      const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
      document.querySelector('.composer')!.dispatchEvent(event)
    })
    await page.getByText('paper.pdf is no PNG, JPEG, GIF or WebP image.').waitFor()
    const turn = await askInChat(page, 'unpriced', 'What is it?')
    await turn.getByRole('link', { name: 'Request details' }).waitFor()
    const url = `data:image/png;base64,${png.toString('base64')}`
    const { messages } = JSON.parse(north.requests.at(-1)!.body)
    expect(messages[0].content).toEqual([
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url } },
      { type: 'image_url', image_url: { url } },
    ])
    expect(await page.locator('.turn.user img').count()).toBe(2)
  })

  it.each(apis)('calls tools and takes their results in %s', async api => {
    const { north } = site().service
    const page = await site().open()
    await chooseApi(page, api)
    await page.getByRole('button', { name: 'Tools', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add a tool' }).click()
    await dialog.getByLabel('Name').fill('get_weather')
    const schema = dialog.getByLabel('Parameters (JSON Schema)')
    await schema.fill('{"type":"object","properties":{"city":{"type":"string"}}')
    await dialog.getByText(/^Not usable: no valid JSON/).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByText(/^The parameters of the tool get_weather are no valid JSON/).waitFor()
    await page.getByRole('button', { name: 'Tools (1)' }).click()
    await schema.fill('{"type":"object","properties":{"city":{"type":"string"}}}')
    await dialog.getByText('Valid.').waitFor()
    await dialog.getByRole('button', { name: 'Format' }).click()
    expect(await schema.inputValue()).toContain('\n  "type": "object"')
    await dialog.getByRole('button', { name: 'Done' }).click()

    const call = (city: string) => ({ name: 'get_weather', arguments: { city } })
    north.respondWith(steps.answer({ toolCalls: [call('Oslo'), call('Rome')] }))
    const turn = await askInChat(page, 'unpriced', 'Where is it warm?')
    await turn.getByRole('region', { name: 'Tool call get_weather' }).nth(1).waitFor()
    expect(await turn.locator('.turn-call .raw').allTextContents()).toEqual([
      expect.stringContaining('Oslo'),
      expect.stringContaining('Rome'),
    ])
    const asked = JSON.parse(north.requests.at(-1)!.body)
    expect(asked.tools[0].function).toMatchObject({ name: 'get_weather', parameters: { type: 'object' } })
    await page.getByText('The answer waits for the results of its tool calls.').waitFor()
    north.respondWith(steps.answer({ text: 'In Rome.' }))
    await page.getByLabel('Result of get_weather (1 of 2)').fill('-4')
    expect(await page.getByRole('button', { name: 'Send results' }).isDisabled()).toBe(true)
    await page.getByLabel('Result of get_weather (2 of 2)').fill('{"celsius": 21}')
    await page.getByRole('button', { name: 'Send results' }).click()
    await page.locator('.turn.assistant').last().getByText('In Rome.').waitFor()
    const { messages } = JSON.parse(north.requests.at(-1)!.body)
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'tool', 'tool'])
    const calls = messages[1].tool_calls
    expect(calls.map((each: { function: unknown }) => each.function)).toMatchObject([
      { name: 'get_weather', arguments: expect.stringContaining('Oslo') },
      { name: 'get_weather', arguments: expect.stringContaining('Rome') },
    ])
    expect(messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: calls[0].id, content: '-4' },
      { role: 'tool', tool_call_id: calls[1].id, content: '{"celsius": 21}' },
    ])
    north.respondWith(steps.answer())
  })

  it('sends the parameters that an API has, and says which it lacks', async () => {
    const page = await site().open()
    await page.getByText('Options', { exact: true }).click()
    for (const [label, value] of [
      ['Temperature', '0.5'],
      ['Max tokens', '20'],
      ['Top P', '0.9'],
      ['Seed', '7'],
      ['Stop sequences', 'END\nSTOP'],
    ] as const) {
      await page.getByLabel(label).fill(value)
    }
    await page.getByLabel('Reasoning effort').selectOption('low')
    const api = page.getByRole('combobox', { name: 'API', exact: true })
    const bodyIn = async (name: (typeof apis)[number]) => {
      await api.selectOption(name)
      const seed = page.getByLabel('Seed')
      const lacking = (await seed.isDisabled()) ? await seed.getAttribute('placeholder') : undefined
      await page.getByText('Options', { exact: true }).click()
      await askInChat(page, 'demo', 'What is 2 + 2?')
      await page.getByRole('button', { name: 'Send' }).waitFor()
      const body = await sentBody(page)
      await page.getByText('Options', { exact: true }).click()
      return { lacking, body }
    }
    const chat = await bodyIn('Chat completions')
    expect(chat.lacking).toBeUndefined()
    expect(chat.body).toMatchObject({
      temperature: 0.5,
      max_completion_tokens: 20,
      top_p: 0.9,
      seed: 7,
      stop: ['END', 'STOP'],
      reasoning_effort: 'low',
    })
    const responses = await bodyIn('Responses')
    expect(responses.lacking).toBe('not in Responses')
    expect(responses.body).toMatchObject({ top_p: 0.9, max_output_tokens: 20, reasoning: { effort: 'low' } })
    expect(Object.keys(responses.body)).not.toContain('seed')
    const messages = await bodyIn('Messages')
    expect(messages.lacking).toBe('not in Messages')
    expect(messages.body).toMatchObject({
      stop_sequences: ['END', 'STOP'],
      output_config: { effort: 'low' },
      max_tokens: 20,
    })
  })

  it('asks two models with one prompt, each with its own answer and failure', async () => {
    const page = await site().open()
    const wire = page.getByRole('region', { name: 'HTTP exchange' })
    await (await askInChat(page, 'demo', 'What is 1 + 1?')).getByText('1 + 1 = 2').waitFor()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByLabel('the compared model').selectOption('broken')
    await page.getByLabel('Message', { exact: true }).fill('What is 2 + 2?')
    await page.keyboard.press('Enter')
    const [one, other] = ['demo', 'broken'].map(model =>
      page.getByRole('log', { name: `Messages of ${model}` }),
    )
    await one!.getByText('2 + 2 = 4').waitFor()
    await other!.getByText('1 + 1 = 2').waitFor()
    await other!.getByText(/The provider failed/).waitFor()
    await wire.locator('.status', { hasText: '200' }).waitFor()
    await wire.getByLabel('HTTP exchange of').selectOption('broken')
    await wire.locator('.status', { hasText: /50[23]/ }).waitFor()
    await goTo(page, 'Requests')
    await goTo(page, 'Chat')
    await one!.getByText('2 + 2 = 4').waitFor()
    await page.getByRole('button', { name: 'Compare' }).click()
    await wire.locator('.status', { hasText: '200' }).waitFor()
  })

  it('loads its code when it is opened, and not with another view', async () => {
    const page = await site().open()
    await page.getByLabel('Model', { exact: true }).waitFor()
    const { url } = site().service
    const scripts: string[] = []
    const note = (request: { url(): string }) => {
      if (request.url().endsWith('.js')) scripts.push(request.url())
    }
    page.on('request', note)
    await page.goto(`${url}/console/?#/keys`)
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
    expect(scripts.filter(each => each.includes('chat-screen'))).toEqual([])
    await goTo(page, 'Chat')
    await page.getByLabel('Model', { exact: true }).waitFor()
    expect(scripts.filter(each => each.includes('chat-screen'))).toHaveLength(1)
    page.off('request', note)
  })
}
