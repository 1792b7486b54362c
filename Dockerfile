# tgap with its server, for CPUs. docs/install.md shows how to build and run it.
FROM python:3.11-slim AS build
WORKDIR /build
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
COPY pretrained pretrained
# The second index has torch without the libraries for graphics cards, which are larger than everything else together.
RUN python -m venv /opt/tgap \
    && /opt/tgap/bin/pip install --no-cache-dir --disable-pip-version-check --constraint constraints.txt \
       --extra-index-url https://download.pytorch.org/whl/cpu '.[serve]'

FROM python:3.11-slim
RUN useradd --uid 10001 --create-home tgap
COPY --from=build /opt/tgap /opt/tgap
USER tgap
WORKDIR /home/tgap
# Imported data and compiled kernels outlive a container if this folder is a volume.
RUN mkdir -p /home/tgap/store
VOLUME /home/tgap/store
ENV PATH=/opt/tgap/bin:$PATH TGAP_DATA=/home/tgap/store/datasets NUMBA_CACHE_DIR=/home/tgap/store/kernels
EXPOSE 8080
# Alive once it answers; compiling the kernels at the first start takes up to a minute.
HEALTHCHECK --interval=30s --timeout=5s --start-period=90s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/health', timeout=4)"]
ENTRYPOINT ["tgap"]
CMD ["serve", "world", "--host", "0.0.0.0"]
