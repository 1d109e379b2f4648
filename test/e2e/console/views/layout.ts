import { expect, it } from 'vitest'
import { askInChat } from '../site/ask-in-chat.ts'
import { goTo } from '../site/go-to.ts'
import { openBreaker } from '../site/open-breaker.ts'
import type { ViewTests } from '../site/views.ts'

const views = ['Overview', 'Chat', 'Requests', 'Log', 'Usage', 'Keys', 'Routes', 'Alerts'] as const

export const layoutTests: ViewTests = site => {
  it('fits a phone: no view is wider than it', async () => {
    const { ask, keys } = site().service
    await keys.issue({ name: 'A key with a long name, as people give them to their services' })
    await openBreaker(site().service)
    const id = (await ask('large-chat')).headers.get('x-request-id')!
    const page = await site().open({ width: 375 })
    /** What reaches beyond the screen, and makes the page as wide. */
    const tooWide = () =>
      page.evaluate(() =>
        document.documentElement.scrollWidth <= innerWidth
          ? []
          : [...document.querySelectorAll('*')]
              .filter(element => element.getBoundingClientRect().right > innerWidth)
              .map(({ localName, className }) => `${localName}.${String(className)}`),
      )
    for (const view of views) {
      await goTo(page, view)
      if (view !== 'Chat')
        await page.locator('main table, main .key, main .alert, main .failure').first().waitFor()
      expect([view, await tooWide()]).toEqual([view, []])
    }
    await page.goto(`${site().service.url}/console/#/requests/${id}`)
    await page.locator('.bar-row').first().waitFor()
    await page.locator('.body').first().waitFor()
    expect(await tooWide()).toEqual([])
    // Beside an open request the list has all of its columns.
    for (const width of [1440, 1024]) {
      await page.setViewportSize({ width, height: 850 })
      const hidden = () => page.locator('.table-box').evaluate(box => box.scrollWidth - box.clientWidth)
      expect([width, await tooWide(), await hidden()]).toEqual([width, [], 0])
    }
    await page.setViewportSize({ width: 375, height: 850 })
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
    await page.locator('.comparison').waitFor()
    expect(await tooWide()).toEqual([])
  })

  it('shows on a phone how each request ended, how each target does and what each key is', async () => {
    const { ask, keys } = site().service
    const { stored } = await keys.issue({ name: 'On a phone' })
    await keys.update(stored.id, { disabled: true })
    const id = (await ask('demo', { key: 'sk-unknown' })).headers.get('x-request-id')!
    for (let left = 4; left > 0; left--) await ask('broken')
    const page = await site().open({ width: 390 })
    /** Whether a text is there, and all of it on the screen. */
    const isSeen = async (within: string, text: string | RegExp) => {
      const element = page.locator(within).first().getByText(text).first()
      await element.waitFor()
      const { x, width } = (await element.boundingBox())!
      return x >= 0 && x + width <= 390
    }
    await goTo(page, 'Requests')
    expect(await isSeen(`tr[data-id="${id}"]`, 'Rejected')).toBe(true)
    expect(await isSeen(`tr[data-id="${id}"]`, '401')).toBe(true)
    const paid = (await ask('counted')).headers.get('x-request-id')!
    expect(await isSeen(`tr[data-id="${paid}"]`, '$0.033')).toBe(true)
    await goTo(page, 'Keys')
    expect(await isSeen(`.key[data-id="${stored.id}"]`, 'Disabled')).toBe(true)
    await goTo(page, 'Routes')
    expect(await isSeen('[data-model=broken]', /Open: too many failures|Half-open: the next/)).toBe(true)
    expect(await isSeen('[data-model=broken]', /^since /)).toBe(true)
    await page.goto(`${site().service.url}/console/#/requests/${id}`)
    expect(await isSeen('.request-panel', 'Rejected')).toBe(true)
    expect(await isSeen('.bar', 'Go to')).toBe(true)
    await page.getByRole('button', { name: /^Go to/ }).click()
    await page.getByRole('option', { name: 'Alerts' }).click()
    await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor()
  })

  it('follows a conversation on a phone: the newest answer ends above the composer', async () => {
    const page = await site().open({ width: 390 })
    await goTo(page, 'Chat')
    await page.getByLabel('Model').waitFor()
    const ask = async (number: number) => {
      const answer = await askInChat(page, 'demo', `What is ${number} + 20?`)
      await answer.getByText(`= ${number + 20}`).waitFor()
      await answer.getByRole('link', { name: 'Request details' }).waitFor()
    }
    for (let number = 1; number <= 7; number++) await ask(number)
    // As when the answer grows between scrolling to its end and the event of that.
    await page.getByRole('log').evaluate(async box => {
      const grown = document.createElement('div')
      grown.style.height = '200px'
      box.lastElementChild!.append(grown)
      const scrolled = new Promise(resolve => box.addEventListener('scroll', resolve, { once: true }))
      box.scrollTop += 20
      await scrolled
    })
    await ask(8)
    await page.getByRole('log').evaluate(box => {
      box.scrollTop = 0
    })
    await ask(9)
    const edges = () =>
      page.evaluate(() => {
        const box = (selector: string) =>
          [...document.querySelectorAll(selector)].at(-1)!.getBoundingClientRect()
        return { answer: box('.turn.assistant').bottom, composer: box('.composer'), height: innerHeight }
      })
    await expect
      .poll(async () => {
        const { answer, composer } = await edges()
        return answer <= composer.top
      })
      .toBe(true)
    const { composer, height } = await edges()
    expect(composer.bottom).toBeLessThanOrEqual(height)
  })

  it('is dark where the system is, and as one chooses', async () => {
    const page = await site().open({ colorScheme: 'dark' })
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    await page.getByLabel('Colours').waitFor()
    expect(await ground()).toBe('rgb(18, 20, 22)')
    await page.getByLabel('Colours').selectOption('Light')
    expect(await ground()).toBe('rgb(247, 247, 245)')
    await page.reload()
    expect(await page.getByLabel('Colours').inputValue()).toBe('light')
    expect(await ground()).toBe('rgb(247, 247, 245)')
  })

  it('is gone through by the keyboard, and shows where one is', async () => {
    const page = await site().open()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.keyboard.press('Tab')
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
    expect(await focused()).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
    await page.getByRole('link', { name: 'Chat', exact: true }).focus()
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Requests')
    expect(await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)).toBe('solid')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor()
    expect(await page.title()).toBe('Requests · Sluice console')
    expect(await page.getByRole('link', { name: 'Requests', exact: true }).getAttribute('aria-current')).toBe(
      'page',
    )
  })

  it('stands still for who wants no motion', async () => {
    const page = await site().open({ reducedMotion: 'reduce' })
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    const { east } = site().service
    const asked = east.requests.length + 1
    await goTo(page, 'Chat')
    await page.getByLabel('Model').selectOption('stuck')
    await page.getByLabel('Message', { exact: true }).fill('Hello')
    await page.keyboard.press('Enter')
    await east.waitForRequest(asked)
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    await page.getByRole('button', { name: 'Stop' }).click()
  })
}
