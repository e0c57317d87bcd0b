# An image that runs the programs: docker build -t tff-weights . && docker run -it tff-weights
FROM python:3.11-slim

WORKDIR /opt/tff-weights
# setuptools and wheel come first, to build what has no wheel with these very versions.
COPY requirements.txt .
RUN pip install --no-cache-dir --no-deps $(grep -E '^(setuptools|wheel)==' requirements.txt) \
    && pip install --no-cache-dir --no-deps --no-build-isolation -r requirements.txt
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation .

WORKDIR /runs
CMD ["python", "-m", "experiments.doctor"]
