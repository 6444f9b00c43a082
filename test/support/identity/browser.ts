import { patiently } from "../patiently.ts";

/** A form with its original values, as a browser would send it. */
type Form = { action: string; fields: [name: string, value: string][] };

export type Page = { url: string; status: number; headers: Headers; text: string; forms: Form[] };

type Answers = Readonly<Record<string, string | string[] | File>>;

/** A browser without scripts: keeps cookies, follows redirects inside one site, fills in and sends forms. */
export type Browser = {
  open(address: string): Promise<Page>;
  /** Sends the form with this action. A list as value replaces all fields of the name (checkboxes). */
  submit(page: Page, action: string, answers: Answers): Promise<Page>;
  cookies: Map<string, { value: string; path: string }>;
};

/** All cookies of a browser, as a request has them in its header. */
export const cookieOf = ({ cookies }: Pick<Browser, "cookies">): string =>
  [...cookies].map(([name, { value }]) => `${name}=${value}`).join("; ");

let networks = 0;

/** A client's address that no other has: the provider believes X-Forwarded-For, because a proxy is on this machine. */
export const newAddress = (): string => `198.18.${networks >> 8}.${networks++ & 255}`;

/**
 * @param origin the site as the browser names it, if it reaches the site at another address
 * @param tls certificates that it trusts
 * @param client its address; limits count by network, and browsers share none unless a test says so
 */
export function createBrowser(
  site: string,
  origin = new URL(site).origin,
  tls: BunFetchRequestInit["tls"] = {},
  client = newAddress(),
): Browser {
  const cookies: Browser["cookies"] = new Map();

  async function open(address: string, init: RequestInit = {}): Promise<Page> {
    const named = new URL(address, site);
    const url =
      named.origin === origin ? new URL(`${named.pathname}${named.search}${named.hash}`, site) : named;
    // The browser does not follow to another site: that address is the answer.
    if (url.origin !== new URL(site).origin) return { url: url.href, status: 0, ...nothing };
    const own = { Cookie: cookieHeader(url.pathname), Accept: "text/html", "X-Forwarded-For": client };
    const headers = { ...init.headers, ...own };
    const response = await patiently(
      () => fetch(url, { ...init, headers, redirect: "manual", tls }),
      ({ status }) => status === 503 && init.method === undefined,
    );
    keepCookies(response);
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location) {
      return open(new URL(location, url).href, response.status === 307 ? init : {});
    }
    const text = await response.text();
    return { url: url.href, status: response.status, headers: response.headers, text, forms: formsOf(text) };
  }

  function cookieHeader(path: string): string {
    return [...cookies]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .map(([name, cookie]) => `${name}=${cookie.value}`)
      .join("; ");
  }

  function keepCookies(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(/;\s*/);
      const at = pair.indexOf("=");
      const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? "/";
      const isGone = /expires=Thu, 01 Jan 1970/i.test(line);
      if (isGone) cookies.delete(pair.slice(0, at));
      else cookies.set(pair.slice(0, at), { value: pair.slice(at + 1), path });
    }
  }

  function submit(page: Page, action: string, answers: Answers): Promise<Page> {
    const form = page.forms.find((candidate) => candidate.action === action);
    if (!form) throw new Error(`${page.url} (${page.status}) has no form for ${action}: ${page.text}`);
    const hasFile = Object.values(answers).some((one) => one instanceof File);
    const body = hasFile ? new FormData() : new URLSearchParams();
    const add = (name: string, value: string | File) =>
      body instanceof FormData ? body.append(name, value) : body.append(name, String(value));
    for (const [name, value] of form.fields) if (!(name in answers)) add(name, value);
    for (const [name, value] of Object.entries(answers)) for (const one of [value].flat()) add(name, one);
    return open(form.action, { method: "POST", body, headers: { Origin: origin } });
  }

  return { open: (address) => open(address), submit, cookies };
}

const nothing = { headers: new Headers(), text: "", forms: [] as Form[] };

function formsOf(text: string): Form[] {
  const forms: Form[] = [];
  let select: string | null = null;
  let isNamedByText = false;
  const add = (name: string | null, value: string | null) => {
    if (name) forms.at(-1)?.fields.push([name, decoded(value ?? "")]);
  };
  new HTMLRewriter()
    .on("form", {
      element(form) {
        forms.push({ action: form.getAttribute("action") ?? "", fields: [] });
      },
    })
    .on("form input", {
      element(input) {
        const isChoice = ["checkbox", "radio"].includes(input.getAttribute("type") ?? "");
        const isOff = isChoice && !input.hasAttribute("checked");
        if (!isOff) add(input.getAttribute("name"), input.getAttribute("value"));
      },
    })
    .on("form select", {
      element(element) {
        select = element.getAttribute("name");
      },
    })
    .on("form option[selected]", {
      element(option) {
        isNamedByText = !option.hasAttribute("value");
        add(select, option.getAttribute("value"));
      },
      text({ text: written }) {
        const last = forms.at(-1)?.fields.at(-1);
        if (last && isNamedByText) last[1] += decoded(written);
      },
    })
    .on("form textarea", {
      element(area) {
        add(area.getAttribute("name"), "");
      },
      text({ text: written }) {
        const last = forms.at(-1)?.fields.at(-1);
        // The line break at the beginning of a text area is not part of it.
        if (last) last[1] += decoded(last[1] === "" ? written.replace(/^\n/, "") : written);
      },
    })
    .transform(text);
  return forms;
}

/** Text without the escapes of templates. */
const decoded = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => entities[name] ?? "");
const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };
