// Browsers start no worker from a page that was opened from a folder (file://), and the site's search runs in one.
// There this class takes the worker's place: it runs the worker's script in a hidden frame of the same page.
// The name of this file tells the theme's plugin `offline` that nothing has to be loaded from a network.
(() => {
  if (location.protocol !== "file:") return;

  // What a worker's script expects to find: ways to load scripts and to answer.
  const prelude = `
    postMessage = (data) => parent.postMessage(data, "*");
    importScripts = async (...addresses) => {
      for (const address of addresses)
        await new Promise((loaded, failed) => {
          const script = document.createElement("script");
          Object.assign(script, { src: address, onload: loaded, onerror: failed });
          document.body.append(script);
        });
    };`;

  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.frame = frame;
      window.addEventListener("message", (event) => {
        if (event.source !== frame.contentWindow) return;
        const answer = new MessageEvent("message", { data: event.data });
        this.onmessage?.(answer);
        this.dispatchEvent(answer);
      });
      const page = frame.contentWindow.document;
      page.open();
      page.write(`<body><script>${prelude}</` + `script><script src="${address}"></` + `script></body>`);
      page.close();
      this.ready = new Promise((loaded) => frame.contentWindow.addEventListener("load", loaded));
    }

    async postMessage(data) {
      await this.ready;
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data: structuredClone(data) }));
    }

    terminate() {
      this.frame.remove();
    }
  };
})();
