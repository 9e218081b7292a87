"""Runs Python clients of Kubernetes against a server.

    python -m venv VENV && VENV/bin/pip install -r requirements.txt
    VENV/bin/python judge.py KUBECONFIG

Prints one line per check, `ok NAME` or `not ok NAME: ERROR`, and exits with 1 if one failed.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import traceback

KUBECONFIG = sys.argv[1]
os.environ["KUBECONFIG"] = KUBECONFIG
failed = 0


def report(name, error=None):
    global failed
    if error is None:
        print(f"ok {name}", flush=True)
    else:
        failed += 1
        print(f"not ok {name}: {type(error).__name__}: {str(error)[:300]!r}", flush=True)


def check(name, function):
    try:
        function()
        report(name)
    except Exception as error:  # every failure is reported, and the next check runs
        report(name, error)
        traceback.print_exc(limit=3, file=sys.stderr)


def official():
    from kubernetes import client, config, dynamic, utils, watch

    config.load_kube_config(KUBECONFIG)
    core, apps = client.CoreV1Api(), client.AppsV1Api()
    core.create_namespaced_config_map("default", {"metadata": {"name": "py", "labels": {"by": "py"}}, "data": {"a": "1"}})
    assert core.read_namespaced_config_map("py", "default").data == {"a": "1"}
    core.patch_namespaced_config_map("py", "default", {"data": {"b": "2"}})
    assert core.list_namespaced_config_map("default", label_selector="by=py").items[0].data["b"] == "2"
    version = core.list_namespaced_config_map("default").metadata.resource_version
    core.patch_namespaced_config_map("py", "default", {"data": {"c": "3"}})
    for event in watch.Watch().stream(
        core.list_namespaced_config_map, "default", resource_version=version, timeout_seconds=5
    ):
        assert event["object"].data["c"] == "3"
        break
    labels = {"app": "py"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "nginx"}]}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    apps.create_namespaced_deployment("default", {"metadata": {"name": "py"}, "spec": spec})
    apps.patch_namespaced_deployment_scale("py", "default", {"spec": {"replicas": 3}})
    assert apps.read_namespaced_deployment("py", "default").spec.replicas == 3
    try:
        core.create_namespaced_config_map("default", {"metadata": {"name": "py"}})
        raise AssertionError("a second object of the same name was created")
    except client.ApiException as error:
        assert error.status == 409
    maps = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="ConfigMap")
    applied = maps.server_side_apply(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "py"}, "data": {"a": "9"}},
        namespace="default",
        field_manager="judge",
        force_conflicts=True,
    )
    assert applied.data["a"] == "9"
    utils.create_from_dict(
        client.ApiClient(), {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "py2", "namespace": "default"}}
    )
    core.delete_namespaced_config_map("py", "default")
    core.delete_collection_namespaced_config_map("default", field_selector="metadata.name=py2")
    apps.delete_namespaced_deployment("py", "default")
    assert client.VersionApi().get_code().minor.startswith("3")


async def with_kr8s():
    import kr8s.asyncio
    from kr8s.asyncio.objects import ConfigMap

    api = await kr8s.asyncio.api(kubeconfig=KUBECONFIG)
    resource = {"metadata": {"name": "kr8s", "namespace": "default"}, "data": {"a": "1"}}
    created = await ConfigMap(resource, api=api)
    await created.create()
    await created.patch({"data": {"b": "2"}})
    await created.label({"by": "kr8s"})
    found = [item async for item in api.get("configmaps", namespace="default", label_selector={"by": "kr8s"})]
    assert len(found) == 1 and found[0].data.b == "2"
    assert await created.exists()
    await created.delete()
    assert (await api.version())["major"] == "1"


async def with_asyncio():
    from kubernetes_asyncio import client, config, watch

    await config.load_kube_config(config_file=KUBECONFIG)
    async with client.ApiClient() as api:
        core = client.CoreV1Api(api)
        await core.create_namespaced_secret("default", {"metadata": {"name": "aio"}, "stringData": {"k": "v"}})
        assert (await core.read_namespaced_secret("aio", "default")).data == {"k": "dg=="}
        async with watch.Watch().stream(core.list_namespaced_secret, "default", timeout_seconds=5) as stream:
            async for event in stream:
                assert event["type"] == "ADDED"
                break
        await core.patch_namespaced_secret("aio", "default", [{"op": "add", "path": "/data/x", "value": "eA=="}])
        await core.delete_namespaced_secret("aio", "default")


def with_lightkube():
    from lightkube import Client, KubeConfig
    from lightkube.core.exceptions import ApiError
    from lightkube.models.meta_v1 import ObjectMeta
    from lightkube.resources.core_v1 import ConfigMap
    from lightkube.types import PatchType

    client = Client(config=KubeConfig.from_file(KUBECONFIG), field_manager="lightkube")
    settings = ConfigMap(metadata=ObjectMeta(name="light", namespace="default"), data={"a": "1"})
    settings.apiVersion, settings.kind = "v1", "ConfigMap"
    client.apply(settings)
    client.patch(ConfigMap, "light", {"data": {"b": "2"}}, namespace="default", patch_type=PatchType.MERGE)
    assert client.get(ConfigMap, "light", namespace="default").data == {"a": "1", "b": "2"}
    assert any(item.metadata.name == "light" for item in client.list(ConfigMap, namespace="default"))
    client.delete(ConfigMap, "light", namespace="default")
    try:
        client.get(ConfigMap, "light", namespace="default")
        raise AssertionError("a deleted object was found")
    except ApiError as error:
        assert error.status.code == 404


OPERATOR = """
import kopf

@kopf.on.create("judge.example.com", "v1", "things")
def created(spec, **_):
    return {"size": spec.get("size", 0) * 2}
"""


def with_kopf():
    from kubernetes import client, config

    config.load_kube_config(KUBECONFIG)
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    definition = {
        "metadata": {"name": "things.judge.example.com"},
        "spec": {
            "group": "judge.example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
    client.ApiextensionsV1Api().create_custom_resource_definition(definition)
    custom = client.CustomObjectsApi()
    place = ("judge.example.com", "v1", "default", "things")
    with tempfile.NamedTemporaryFile("w", suffix=".py") as operator:
        operator.write(OPERATOR)
        operator.flush()
        process = subprocess.Popen(
            [sys.executable, "-m", "kopf", "run", "--standalone", "-n", "default", operator.name],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            thing = {"apiVersion": "judge.example.com/v1", "kind": "Thing", "metadata": {"name": "one"}, "spec": {"size": 4}}
            custom.create_namespaced_custom_object(*place, thing)
            import time

            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                status = custom.get_namespaced_custom_object(*place, "one").get("status", {})
                if status.get("created") == {"size": 8}:
                    return
                time.sleep(0.2)
            raise AssertionError(f"the operator did not write the status: {status}")
        finally:
            process.terminate()
            process.wait(20)


check("kubernetes", official)
check("kr8s", lambda: asyncio.run(with_kr8s()))
check("kubernetes_asyncio", lambda: asyncio.run(with_asyncio()))
check("lightkube", with_lightkube)
check("kopf", with_kopf)
sys.exit(1 if failed else 0)
